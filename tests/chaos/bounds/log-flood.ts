import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../acceptance/harness/client.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import { makeInstall } from '../clients/install.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

const EVERY_MS = 10
/** Requests of the key each time. */
const REQUESTS = 5
const MINUTE_S = 60
/** Lines of a key or an address in a minute, and the share of lines beyond them. */
const LOGGED = 100
const THINNED_TO = 1 / 100
/** The window of an organization: 10 in 10 s. */
const ADMITTED_IN_MINUTE = 60

/** A key repeats a request beyond its window, and a stranger begins bodies for the console and leaves. */
export async function logFlood({ folder, amount }: Trial): Promise<Finding[]> {
  const data = join(folder, 'log-flood')
  const { others } = await makeInstall(data, 0, 0)
  const [attacker, ...rest] = others
  const server = await serve(inFolder(data), ['--geocoder', 'off'])
  const seconds = amount({ minutes: 30, hours: 300 })
  const sent = { requests: 0, bodies: 0 }
  try {
    const findings = await besideUndisturbed('a flood of lines', server, rest, async () => {
      const end = performance.now() + seconds * 1_000
      const headers = { 'x-api-key': attacker!.key }
      while (performance.now() < end) {
        const due = wait(EVERY_MS)
        await Promise.all([
          leaveBody(server),
          ...Array.from({ length: REQUESTS }, () =>
            request(server.api, `${PREFIX}/objects/${attacker!.object}`, { headers }),
          ),
        ])
        sent.bodies += 1
        sent.requests += REQUESTS
        await due
      }
    })
    await server.stop()
    const failures = server.log.filter(({ level }) => level === 50)
    const ofKey = server.log.filter(({ organization }) => organization === attacker!.organization)
    const minutes = Math.ceil(seconds / MINUTE_S) + 1
    const most = minutes * (LOGGED + ADMITTED_IN_MINUTE) + sent.requests * THINNED_TO
    return [
      ...findings,
      {
        what: `lines of level 50 about ${sent.bodies.toLocaleString('en')} bodies whose clients leave`,
        bar: 'none',
        measured: `${failures.length}`,
        met: failures.length === 0,
      },
      {
        what: `lines about ${sent.requests.toLocaleString('en')} requests of a key beyond its window`,
        bar: `at most ${LOGGED} in a minute and every 100th, in addition to those that the window admits`,
        measured: `${ofKey.length}`,
        met: ofKey.length <= most,
      },
    ]
  } finally {
    await server.stop()
  }
}

async function leaveBody({ admin }: ServerProcess): Promise<void> {
  const { hostname, port, host } = new URL(admin)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  const head =
    `POST /admin/v1/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${admin}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"email":"x'
  await new Promise((resolve) => socket.write(head, resolve))
  socket.destroy()
}
