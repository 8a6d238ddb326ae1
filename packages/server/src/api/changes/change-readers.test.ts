import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { WaitingReader } from '../../changes/change-watch.ts'
import { openChangeReaders, releaseReaders } from './change-readers.ts'

const ORGANIZATION = 1
const PARTS = {} as Parameters<typeof openChangeReaders>[1]
const COUNTS = { opened() {}, sent() {}, ended() {} }

it('Released readers wake: those that wait, and later ones at once', async () => {
  const waiting = new Set<WaitingReader>()
  const watch = {
    wait: (_: number, reader: WaitingReader) => void waiting.add(reader),
    leave: (_: number, reader: WaitingReader) => void waiting.delete(reader),
  }
  const readers = openChangeReaders(watch, PARTS, 1, COUNTS)
  const woken: string[] = []
  const reader = (name: string): WaitingReader => ({
    known: 0,
    takesRecords: false,
    wake: () => woken.push(name),
  })
  const gone = reader('gone')
  readers.changeWatch.wait(ORGANIZATION, gone)
  readers.changeWatch.wait(ORGANIZATION, reader('waits'))
  readers.changeWatch.leave(ORGANIZATION, gone)
  assert.equal(waiting.size, 1)
  releaseReaders(readers)
  readers.changeWatch.wait(ORGANIZATION, reader('later'))
  await Promise.resolve()
  assert.deepEqual(woken, ['waits', 'later'])
})
