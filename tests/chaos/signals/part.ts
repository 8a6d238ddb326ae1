import type { Part } from '../part.ts'
import { drainOften } from './draining.ts'
import { replaceOften } from './rolling.ts'
import { signalTwice } from './second-signal.ts'

export const part: Part = {
  name: 'signals',
  title: 'Signals',
  summary: 'SIGTERM drains a server, and SIGHUP replaces processes, while clients keep asking.',
  about: `
A server over a data folder gets SIGTERM at any moment while 26 clients ask: over connections that are kept, over a new one each
time, now and then, six requests at once, with headers or bodies that come in pieces, long histories that are read late or
compressed, batches to the feed. A client knows what it has sent and reads the answers by the letter of HTTP. Requests on a
connection that was made before the signal must be answered whole, also if they were sent after the signal. HTTP/1.1 leaves two
moments open, which are counted: a request that is sent just as a connection is closed that was quiet for a second (or after a
long answer that began before the signal and so could not say that it is the last), and a connection that is made just as the port
is closed. Clients send such requests again, as they do with any connection that was idle.

Over PostgreSQL and Redis two processes that share a port are replaced over and over (SIGHUP, see
docs/operating/backups.md) while the same clients ask. There no exception holds: every request, over old and new
connections, is answered whole, and the processes together have counted as many.`,
  async run(trial) {
    return [...(await drainOften(trial)), await signalTwice(trial), ...(await replaceOften(trial))]
  },
}
