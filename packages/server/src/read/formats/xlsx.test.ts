import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { sheetHead, sheetRow, workbookOf } from './xlsx.ts'

const COLUMNS = ['id', 'name', 'at', 'day']
const HEAD = sheetHead(COLUMNS, { at: 'time', day: 'date' })

function lineOf(id: number, name: string, at: string | null = null, day: string | null = null) {
  return sheetRow(COLUMNS, { id, name, at, day })
}

async function readBack(lines: string[], timeZone = 'UTC') {
  const pieces = [Buffer.from(HEAD), ...lines.map((line) => Buffer.from(line))]
  const parts = await Array.fromAsync(workbookOf('rows', pieces, timeZone))
  return (await readXlsx(Buffer.concat(parts))).sheets[0]!.rows
}

describe('A workbook', () => {
  it('has a time as the clocks of its zone show it, on both sides of a change', async () => {
    const [, ...rows] = await readBack(
      [
        lineOf(1, 'x', '2026-10-25T00:59:59.250Z', '2026-10-25'),
        lineOf(2, 'x', '2026-10-25T01:00:00.000Z', null),
      ],
      'Europe/Berlin',
    )
    assert.deepEqual(
      rows.map((row) => row.slice(2)),
      [
        [new Date('2026-10-25T02:59:59.250Z'), new Date('2026-10-25')],
        [new Date('2026-10-25T02:00:00.000Z'), null],
      ],
    )
  })

  it('has a note in place of a text that is too long for a cell', async () => {
    const [, most, longer] = await readBack(
      [32_767, 32_768].map((length) => lineOf(1, 'x'.repeat(length))),
    )
    assert.equal(most![1], 'x'.repeat(32_767))
    assert.equal(longer![1], '32768 characters do not fit into a cell: use another format')
  })

  it('reads no more rows than its client, and ends them when the client leaves', async () => {
    let pulled = 0
    let isEnded = false
    async function* endless() {
      try {
        yield Buffer.from(HEAD)
        for (;;) {
          pulled += 1
          yield Buffer.from(lineOf(pulled, Math.random().toString(36).repeat(20)))
        }
      } finally {
        isEnded = true
      }
    }
    const parts = workbookOf('rows', endless(), 'UTC')
    for (let part = 0; part < 20; part += 1) await parts.next()
    assert.ok(pulled < 10_000, String(pulled))
    await parts.return(undefined)
    assert.ok(isEnded)
    const at = pulled
    await new Promise(setImmediate)
    assert.equal(pulled, at)
  })

  it('breaks off if its rows fail', async () => {
    async function* failing() {
      yield Buffer.from(HEAD + lineOf(1, 'x'))
      throw new Error('the store is down')
    }
    await assert.rejects(Array.fromAsync(workbookOf('rows', failing(), 'UTC')), /the store is down/)
  })
})
