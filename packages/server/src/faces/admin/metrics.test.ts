import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openMetrics, openSummedMetrics, type ProcessMetrics } from './metrics.ts'

const ping = { operation: 'ping', status: 200, durationUs: 400, isHeld: false }

function countOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  assert.ok(line !== undefined, `${series} in ${text}`)
  return Number(line.slice(series.length + 1))
}

const REQUESTS = 'fleetgate_requests_total{operation="ping",status="200"}'
const FASTEST = 'fleetgate_request_duration_seconds_bucket{le="0.0005",operation="ping"}'
const COUNT = 'fleetgate_request_duration_seconds_count{operation="ping"}'

it('the metrics of several processes are summed, even after one of them has ended', async () => {
  const [first, second] = [openMetrics(), openMetrics()]
  const answering = new Map([
    [1, first],
    [2, second],
  ])
  const summed = openSummedMetrics(async () => {
    const reported = new Map<number, ProcessMetrics>()
    // As they pass through a channel between processes.
    for (const [number, metrics] of answering) {
      reported.set(number, JSON.parse(JSON.stringify(await metrics.json())))
    }
    return reported
  })
  for (const metrics of [first, first, second]) metrics.observe(ping)
  const together = await summed.text()
  for (const series of [REQUESTS, FASTEST, COUNT]) assert.equal(countOf(together, series), 3)
  assert.equal(countOf(together, 'fleetgate_processes'), 2)

  answering.delete(1)
  const isBusy = await summed.text()
  assert.equal(countOf(isBusy, REQUESTS), 3, 'one that does not answer')
  assert.equal(countOf(isBusy, 'fleetgate_processes'), 1)
  summed.ended(1)
  const memory = second.registry.getSingleMetric('process_resident_memory_bytes')
  const { values } = (await memory!.get()) as { values: { value: number }[] }
  const alone = await summed.text()
  for (const series of [REQUESTS, FASTEST, COUNT]) assert.equal(countOf(alone, series), 3)
  const bytes = countOf(alone, 'process_resident_memory_bytes')
  assert.ok(bytes < 1.5 * values[0]!.value, 'its memory is free')

  const third = openMetrics()
  answering.set(3, third)
  third.observe(ping)
  assert.equal(countOf(await summed.text(), REQUESTS), 4)
  summed.ended(3)
  summed.ended(2)
  answering.clear()
  assert.equal(countOf(await summed.text(), COUNT), 4)
})

it('a process that ends while others are asked is counted once', async () => {
  const [ended, other] = [openMetrics(), openMetrics()]
  for (const metrics of [ended, other]) metrics.observe(ping)
  const answers = new Map<number, ProcessMetrics>([
    [1, JSON.parse(JSON.stringify(await ended.json()))],
    [2, JSON.parse(JSON.stringify(await other.json()))],
  ])
  const summed = openSummedMetrics(async () => {
    summed.ended(1)
    return answers
  })
  summed.reported(1, answers.get(1)!)
  assert.equal(countOf(await summed.text(), REQUESTS), 2)
  answers.delete(1)
  assert.equal(countOf(await summed.text(), REQUESTS), 2)
})
