import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressOf } from './import-files.ts'

function recorder(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) }
  return { written, stream: stream as unknown as NodeJS.WriteStream }
}

test('a log gets a line every 5 seconds, with rows, rate and percentage', () => {
  const { written, stream } = recorder(false)
  let now = 0
  const progress = progressOf(stream, false, () => now)
  for (; now <= 10_000; now += 1_000) progress.show('a.csv', now * 10, now, 20_000)
  progress.end()
  assert.deepEqual(written, [
    'a.csv: 50,000 rows, 10,000 rows/s, 25%\n',
    'a.csv: 100,000 rows, 10,000 rows/s, 50%\n',
  ])
})

test('a terminal gets one line, rewritten and cleared at the end', () => {
  const { written, stream } = recorder(true)
  let now = 0
  const progress = progressOf(stream, false, () => now)
  progress.show('-', 0, 0, null)
  now = 250
  progress.show('-', 1_000, 9, null)
  progress.end()
  assert.deepEqual(written, ['\r\u001b[K-: 1,000 rows, 4,000 rows/s', '\r\u001b[K'])
})

test('quiet mode prints nothing', () => {
  const { written, stream } = recorder(true)
  const progress = progressOf(stream, true, () => 0)
  progress.show('-', 1, 1, 1)
  progress.end()
  assert.deepEqual(written, [])
})
