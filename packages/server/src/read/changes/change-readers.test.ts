import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WaitingReader } from '../../engine/changes/change-watch.ts'
import { openPageRoom, ROOM_OF_CHANGES } from '../rows/page-room.ts'
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

describe('The room for pages of changes', () => {
  it('is as large as wanted while there is enough', () => {
    assert.equal(openPageRoom(ROOM_OF_CHANGES).take(1, 10_000).entries, 10_000)
  })

  it('is small for an organization that holds many pages, and for no other', () => {
    const room = openPageRoom(ROOM_OF_CHANGES)
    for (let page = 0; page < 10; page += 1) room.take(1, 10_000)
    assert.equal(room.take(1, 10_000).entries, 100)
    assert.equal(room.take(2, 10_000).entries, 10_000)
  })

  it('is small when the process holds many pages', () => {
    const room = openPageRoom(ROOM_OF_CHANGES)
    for (let page = 0; page < 50; page += 1) room.take(page, 10_000)
    assert.equal(room.take(0, 10_000).entries, 100)
    assert.equal(room.take(0, 7).entries, 7)
  })

  it('is a page without a limit for an organization that holds none, whatever others hold', () => {
    const room = openPageRoom(ROOM_OF_CHANGES)
    // Clients of five organizations that hardly read.
    for (let page = 0; page < 50; page += 1) room.take(page % 5, 10_000)
    const page = room.take(5, 10_000)
    assert.equal(page.entries, 1_000)
    assert.equal(room.take(5, 10_000).entries, 100)
    page.free()
    assert.equal(room.take(5, 10_000).entries, 900)
  })

  it('comes back with what was not used, and once', () => {
    const room = openPageRoom(ROOM_OF_CHANGES)
    const pages = Array.from({ length: 10 }, () => room.take(1, 10_000))
    pages[0]!.keep(4_000)
    assert.equal(room.take(1, 10_000).entries, 6_000)
    pages[1]!.free()
    pages[1]!.free()
    assert.equal(room.take(1, 10_000).entries, 10_000)
    assert.equal(room.take(1, 10_000).entries, 100)
  })
})
