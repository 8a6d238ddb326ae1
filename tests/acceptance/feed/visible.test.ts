import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { type Sender, senderOf } from '../harness/sender.ts'

/** Each of the consecutive servers has a rate window of its own for each organization. */
const ROUNDS = 3
const STEPS = 10
const LOADS = 4
const START = Date.parse('2024-07-01T00:00:00Z')

const fleet = await startFleet({ full: 0, plain: 12 })
const senders = await Promise.all(
  Array.from({ length: 12 }, (_, i) =>
    senderOf(fleet, fleet.take(), ...(i < 2 ? ['--create-objects'] : [])),
  ),
)
const makers = senders.slice(0, 2)
const watchers = senders.slice(2)

/** The position of a northbound vehicle at this second. */
function rowOf(ident: string, second: number) {
  const latitude = Number((41 + second * 1e-4).toFixed(7))
  return { ident, time_device: START + second * 1000, latitude, longitude: 2.2, speed: 40 }
}
type Row = ReturnType<typeof rowOf>

const shown = ({ ident, time_device, latitude }: Row) => ({
  ...{ ident, time_device: new Date(time_device).toISOString(), latitude },
})

async function sendPacket(sender: Sender, row: Row): Promise<void> {
  const { ident, time_device, latitude, longitude } = row
  const query = `id=${ident}&timestamp=${time_device}&lat=${latitude}&lon=${longitude}&speed=21`
  assert.equal((await sender.send(`/osmand?${query}`)).status, 200)
}

async function sendBatch(sender: Sender, rows: Row[]): Promise<void> {
  assert.equal((await sender.post(rows)).stored, rows.length)
}

/** Reads the sent fields of each object in the very next request. */
async function seen(sender: Sender, path: string): Promise<ReturnType<typeof shown>[]> {
  const result = resultOf(await sender.get(path))
  return [result].flat().map(({ ident, time_device, latitude }) => ({
    ...{ ident, time_device, latitude },
  }))
}

/** Sends in each way, and reads at once. `step`: the number of the sender's step. */
async function watch(sender: Sender, step: number): Promise<void> {
  const { truck, silent } = sender.objects
  const second = 10 * step
  const row = rowOf(IDENTS.truck, second + 5)
  switch (step % 5) {
    case 0:
      await sendPacket(sender, row)
      assert.deepEqual(await seen(sender, `/positions/latest?ids=${truck}`), [shown(row)])
      break
    case 1: {
      await sendBatch(sender, [row])
      assert.deepEqual(await seen(sender, `/objects/${truck}`), [shown(row)])
      break
    }
    case 2: {
      const other = rowOf(IDENTS.silent, second)
      await sendBatch(sender, [rowOf(IDENTS.truck, second + 4), row, other])
      const latest = await seen(sender, `/positions/latest?ids=${truck},${silent}`)
      assert.deepEqual(latest, [shown(row), shown(other)])
      break
    }
    case 3: {
      await Promise.all([
        sendPacket(sender, row),
        sendBatch(sender, [rowOf(IDENTS.silent, second)]),
      ])
      const latest = await seen(sender, `/positions/latest?ids=${silent},${truck}`)
      assert.deepEqual(latest, [shown(rowOf(IDENTS.silent, second)), shown(row)])
      break
    }
    default: {
      // A late fix is not the latest position, but appears in the history.
      const late = rowOf(IDENTS.truck, second - 8)
      await sendPacket(sender, late)
      const { time_device } = shown(late)
      const path = `/objects/${truck}/positions?from_time=${time_device}&to_time=${time_device}`
      assert.deepEqual(await seen(sender, path), [shown(late)])
    }
  }
}

/** The packet creates an object, and the next request shows it. Makes two requests. */
async function make(sender: Sender, step: number): Promise<void> {
  const row = rowOf(`new-${sender.id}-${step}`, step)
  await (step % 2 === 0 ? sendPacket(sender, row) : sendBatch(sender, [row]))
  const objects = resultOf(await sender.get('/objects'))
  const made = objects.find(({ ident }: Row) => ident === row.ident)
  assert.equal(made?.time_device, shown(row).time_device)
  assert.deepEqual(await seen(sender, `/positions/latest?ids=${made.id}`), [shown(row)])
}

/** Others of the same organizations send at the same time, until the test is over. */
async function load(sender: Sender, round: number, isOver: () => boolean): Promise<number> {
  let batches = 0
  for (; !isOver(); batches += 1) {
    const rows = Array.from({ length: 40 }, (_, i) => {
      const ident = i % 2 === 0 ? IDENTS.van : IDENTS.longHaul
      return rowOf(ident, round * 100_000 + batches * 40 + i)
    })
    await sender.post(rows)
  }
  return batches
}

describe('An acknowledged position', () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    it(`is always visible in the next request (server ${round + 1})`, async () => {
      let isOver = false
      const loads = senders.slice(-LOADS).map((sender) => load(sender, round, () => isOver))
      const watching = watchers.map(async (sender) => {
        for (let i = 0; i < STEPS; i += 1) await watch(sender, round * STEPS + i)
      })
      const making = makers.map(async (sender) => {
        for (let i = 0; i < STEPS; i += 2) await make(sender, round * STEPS + i)
      })
      try {
        await Promise.all([...watching, ...making])
      } finally {
        isOver = true
      }
      for (const batches of await Promise.all(loads)) assert.ok(batches > 1, 'there was no load')
      if (round < ROUNDS - 1) await fleet.restart()
    })
  }
})
