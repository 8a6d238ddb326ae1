import type { ChildServer } from './child-server.ts'
import { connect } from './connection.ts'
import { threadSeconds } from './processor.ts'

export type Round = {
  /** Answers with the status that is wanted, and with another. */
  ok: number
  others: number
  perSecond: number
  /** The former for each second of processor time that the server used. */
  perProcessorSecond: number
}

/**
 * Sends the next request on each of `connections` as soon as the last one is answered, until the
 * seconds are over or `next` has none left. It never sleeps meanwhile: to wake it would be work of the
 * server's processor, and the slower server of two would have to do it more often.
 */
export async function closedLoop(
  server: Pick<ChildServer, 'port' | 'pid'>,
  next: () => Buffer | undefined,
  connections: number,
  seconds: number,
  wanted = 200,
): Promise<Round> {
  const lines = await Promise.all(Array.from({ length: connections }, () => connect(server.port)))
  const processorBefore = threadSeconds(server.pid)
  const start = performance.now()
  const end = start + seconds * 1000
  let ok = 0
  let others = 0
  let awake = setImmediate(function stayAwake() {
    awake = setImmediate(stayAwake)
  })
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
