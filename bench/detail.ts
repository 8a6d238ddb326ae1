/**
 * Compares `GET /objects/{id}` with a bare `node:http` server that sends the same bytes and headers, in
 * alternating rounds on the same processor, from the same client.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { untilAtRest } from './at-rest.ts'
import { captureAnswer } from './captured-answer.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { startRaw } from './raw.ts'
import { isSmall, overRounds, progress, report } from './report.ts'
import { detailPath, detailRequest, rotation } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

/** More than the requests a second, so that none sends more than its rate window admits. */
const TENANTS = isSmall ? 2_500 : 30_000
const CONNECTIONS = 64
const ROUNDS = isSmall ? 2 : 5
const ROUND_SECONDS = isSmall ? 0.5 : 5

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
progress(`${TENANTS} organizations, each with a key and an object that has reported`)
const tenants = await fill(folder.path)
const requests = tenants.map(detailRequest)
const toRaw = rotation(requests)
const toFleetgate = rotation(requests)

pin(process.pid, CLIENT_PROCESSOR)
await using fleetgate = await startFleetgate(folder.path)
const [first] = tenants as [Tenant]
const answer = await captureAnswer(fleetgate.port, detailPath(first), { 'x-api-key': first.key })
await using raw = await startRaw(folder.path, answer)

progress('until it rests')
await untilAtRest(fleetgate.pid)
progress('warming up')
await closedLoop(raw, toRaw, CONNECTIONS, ROUND_SECONDS)
for (let asked = 0; asked < 2 * TENANTS; ) {
  asked += (await closedLoop(fleetgate, toFleetgate, CONNECTIONS, ROUND_SECONDS)).ok
}
const rounds: { fleetgate: Round; raw: Round }[] = []
for (let i = 0; i < ROUNDS; i++) {
  progress(`round ${i + 1} of ${ROUNDS}`)
  const ofRaw = await closedLoop(raw, toRaw, CONNECTIONS, ROUND_SECONDS)
  const ofFleetgate = await closedLoop(fleetgate, toFleetgate, CONNECTIONS, ROUND_SECONDS)
  rounds.push({ fleetgate: ofFleetgate, raw: ofRaw })
}

report('GET /objects/{id} beside raw node:http', [
  {
    name: 'Fleetgate, of raw',
    ...overRounds(rounds, ({ fleetgate, raw }) => fleetgate.perSecond / raw.perSecond),
    unit: '',
    atLeast: 0.6,
  },
  {
    // Independent of whether the client, or other processes, slow down one server more.
    name: 'the same, for each second of processor time',
    ...overRounds(
      rounds,
      ({ fleetgate, raw }) => fleetgate.perProcessorSecond / raw.perProcessorSecond,
    ),
    unit: '',
    atLeast: 0.6,
  },
  {
    name: 'Fleetgate',
    ...overRounds(rounds, ({ fleetgate }) => fleetgate.perSecond),
    unit: 'requests/s',
  },
  { name: 'raw', ...overRounds(rounds, ({ raw }) => raw.perSecond), unit: 'requests/s' },
  {
    name: 'answers other than 200',
    value: rounds.reduce((sum, { fleetgate, raw }) => sum + fleetgate.others + raw.others, 0),
    unit: '',
    atMost: 0,
  },
  {
    name: 'size of the answer',
    value: Buffer.from(answer.bodyBase64, 'base64').length,
    unit: 'bytes',
  },
])

async function fill(data: string): Promise<Tenant[]> {
  const store = await openStore({ folder: data })
  const added = await addTenants(store, TENANTS)
  for (const tenant of added) await addDrive(store, tenant, 1)
  await store.close()
  return added
}
