import type { ChildServer } from './child-server.ts'
import { connect } from './connection.ts'
import { threadSeconds } from './processor.ts'

export type Round = {
  /** Number of answers with the expected status, and with another. */
  ok: number
  others: number
  perSecond: number
  /** Expected answers for each second of the server's processor time. */
  perProcessorSecond: number
}

/**
 * Sends the next request on each of `connections` as soon as the last one is answered, until the time is over or
 * `next` is exhausted. Unless it may, the loop never sleeps: waking it would be work for the server's processor, and
 * the slower one of two servers would do it more often.
 */
export async function closedLoop(
  server: Pick<ChildServer, 'port' | 'pid'>,
  next: () => Buffer | undefined,
  connections: number,
  seconds: number,
  wanted = 200,
  maySleep = false,
): Promise<Round> {
  const lines = await Promise.all(Array.from({ length: connections }, () => connect(server.port)))
  const processorBefore = threadSeconds(server.pid)
  const start = performance.now()
  const end = start + seconds * 1000
  let ok = 0
  let others = 0
  let awake: NodeJS.Immediate | undefined
  function stayAwake(): void {
    awake = setImmediate(stayAwake)
  }
  if (!maySleep) stayAwake()
  await Promise.all(
    lines.map(
      (line) =>
        new Promise<void>((resolve) => {
          const answered = (status: number) => {
            if (status === wanted) ok++
            else others++
            sendNext()
          }
          const sendNext = () => {
            const request = performance.now() < end ? next() : undefined
            if (request === undefined) resolve()
            else line.send(request, answered)
          }
          sendNext()
        }),
    ),
  )
  clearImmediate(awake)
  const elapsed = (performance.now() - start) / 1000
  const processorUsed = threadSeconds(server.pid) - processorBefore
  for (const line of lines) line.close()
  return { ok, others, perSecond: ok / elapsed, perProcessorSecond: ok / processorUsed }
}
