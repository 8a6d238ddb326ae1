import { join } from 'node:path'
import { certificate } from '../../acceptance/harness/certificate.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { UnreadTarget } from '../../acceptance/harness/unread-answers.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { brokenHandshakes } from './broken-handshakes.ts'
import { closedWindows } from './closed-windows.ts'
import { endWithIdleClients } from './end-with-idle-clients.ts'
import { askNeighbour } from './neighbour.ts'
import { unreadBodies, unreadRequests } from './unread-bodies.ts'

export const part: Part = {
  name: 'tls',
  title: 'Strangers over TLS, and answers that nobody reads',
  about: `
Clients without a key, over TLS and without, against a \`fleetgate serve\` over an empty data folder for each of the
two. Some stop in the middle of a handshake, or after it. Some ask in HTTP/2 and never open their window. Some ask for
the largest file of the reference page, once or 32 times, read nothing of it, and go on sending. Beside them one client opens a
connection each 200 ms and pings.

Memory is the resident memory of the process, at its highest during the attack, less what it was before. For
answers that nobody reads it is less what it was with the same connections after one small answer each: TLS
itself takes some 70 kB a connection in Node. The system's buffers are not part of it: over loopback they hold up to 4 MB
for each connection that is not read.`,
  run,
}

async function run({ folder, amount, progress }: Trial): Promise<Finding[]> {
  const { ca, args } = certificate()
  const open = (name: string, more: string[]) =>
    serve(inFolder(join(folder, name)), ['--geocoder', 'off', ...more])
  const secured = await open('tls', args)
  const plain = await open('plain', [])
  try {
    const count = amount({ minutes: 200, hours: 400 })
    const over = new AbortController()
    const neighbour = askNeighbour({ port: secured.port, ca }, over.signal)
    const findings: Finding[] = []
    progress('handshakes that stop')
    findings.push(...(await brokenHandshakes(targetOf(secured, ca), count)))
    progress('windows that never open')
    findings.push(await closedWindows(secured, 2 * count))
    progress('answers that nobody reads')
    const unread = await Promise.all([
      unreadBodies('TLS', secured, targetOf(secured, ca), count),
      unreadBodies('HTTP', plain, targetOf(plain), count),
    ])
    findings.push(...unread.flat())
    progress('many requests at once')
    findings.push(await unreadRequests('TLS', secured, targetOf(secured, ca), count))
    findings.push(await unreadRequests('HTTP', plain, targetOf(plain), count))
    over.abort()
    findings.push(await neighbour)
    progress('the end')
    findings.push(await endWithIdleClients(secured, targetOf(secured, ca)))
    return findings
  } finally {
    await secured.kill()
    await plain.kill()
  }
}

function targetOf({ port }: ServerProcess, ca?: Buffer): UnreadTarget {
  return ca === undefined ? { port } : { port, ca }
}
