import { recoveries } from '../kills/judged.ts'
import { type Kind, runKinds } from '../kills/run-kinds.ts'
import type { Part } from '../part.ts'
import { oneProcess } from './one-process.ts'
import { severalProcesses } from './several-processes.ts'
import { sharedServers } from './shared-servers.ts'

const BAR =
  'each follower has every acknowledged position once, and equals the histories; records equal the sorted positions'

const KINDS: Kind[] = [
  {
    what: 'the one process of a data folder, under followers',
    bar: BAR,
    open: oneProcess,
    share: 100,
  },
  {
    what: 'the feed process or one of two API processes, under followers',
    bar: BAR,
    open: severalProcesses,
    share: 70,
    needsServers: true,
  },
  {
    what: 'PostgreSQL or Redis, under followers',
    bar: BAR,
    open: sharedServers,
    share: 60,
    needsServers: true,
  },
]

const IN_ALL = { minutes: 23, hours: 230 }

export const part: Part = {
  name: 'followers',
  title: 'Kills under followers of changes',
  summary: '`kill -9` ends servers, PostgreSQL and Redis while clients follow the changes.',
  about: `Trackers of two organizations send in all formats of the feed, in order, late by seconds, hours
and a month, and some packets twice. A tracker sends a request again until it is acknowledged. Four clients of each
organization follow \`GET /changes\`: one polls from the history, one waits from now, one reads a stream from the
history with \`Last-Event-ID\`, and one a stream of the positions of one object. Meanwhile \`kill -9\` ends the one
process of a data folder; the feed process or an API process of several servers on PostgreSQL and Redis; the first
process of PostgreSQL, or one that serves a connection; or Redis.

After each kill packets must be acknowledged again and each client must read on from its last cursor. No change may
come twice or after a later one. In the end a client has applied the pages by the rules of
\`docs/integrating.md\` alone. It must have every acknowledged position, and be equal to
the histories, latest positions and details of the API. A gap is an acknowledged position that a client lacks. A double
is a position of an object without late packets that came twice. Both organizations ask for their records: their trips,
stops and visits must be those of the sorted positions.`,
  async run(trial) {
    const { findings, tally } = await runKinds(trial, KINDS, trial.amount(IN_ALL))
    return [...findings, ...recoveries(tally)]
  },
}
