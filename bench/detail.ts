/**
 * `GET /objects/{id}` beside a bare `node:http` server that sends the same bytes and headers: rounds
 * of one and the other in turn, on the same processor, from the same client.
 */
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/compose.ts'
import { captureAnswer } from './captured-answer.ts'
import { startFleetgate, startYardstick } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { isSmall, median, progress, report } from './report.ts'
import { detailPath, detailRequest, rotation } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

/** More than the requests a second, so that none is sent its eleventh within ten seconds. */
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
const answer = await captureAnswer(fleetgate.port, detailPath(tenants[0]!), tenants[0]!.key)
const answerFile = join(folder.path, 'answer.json')
writeFileSync(answerFile, JSON.stringify(answer))
await using raw = await startYardstick('raw-server.ts', [answerFile])
const repeated = await captureAnswer(raw.port, '/', '')
if (JSON.stringify(repeated) !== JSON.stringify(answer)) throw new Error('the answers differ')

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

const middle = (of: (round: { fleetgate: Round; raw: Round }) => number) => median(rounds.map(of))
report('GET /objects/{id} beside raw node:http', [
  {
    name: 'Fleetgate, of raw',
    value: middle(({ fleetgate, raw }) => fleetgate.perSecond / raw.perSecond),
    unit: '',
    atLeast: 0.45,
  },
  {
    // Does not depend on whether the client, or others on the machine, slow one server more.
    name: 'the same, for each second of processor time',
    value: middle(({ fleetgate, raw }) => fleetgate.perProcessorSecond / raw.perProcessorSecond),
    unit: '',
    atLeast: 0.45,
  },
  { name: 'Fleetgate', value: middle(({ fleetgate }) => fleetgate.perSecond), unit: 'requests/s' },
  { name: 'raw', value: middle(({ raw }) => raw.perSecond), unit: 'requests/s' },
  {
    name: 'answers other than 200',
    value: rounds.reduce((sum, { fleetgate, raw }) => sum + fleetgate.others + raw.others, 0),
    unit: '',
    atMost: 0,
  },
  { name: 'size of the answer', value: Buffer.byteLength(answer.body), unit: 'bytes' },
])

async function fill(data: string): Promise<Tenant[]> {
  const store = await openStore({ folder: data })
  const added = await addTenants(store, TENANTS)
  for (const tenant of added) await addDrive(store, tenant, 1)
  await store.close()
  return added
}
