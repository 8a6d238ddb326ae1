import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { harmless } from './failure.ts'
import { card, table } from './terminal.ts'

const plain = stripVTControlCharacters

describe('A table', () => {
  it('aligns columns, numbers to the right', () => {
    const rows = [
      [9, 'Van', null, null],
      [10, 'Lorry 2', 1.5, null],
    ]
    assert.equal(
      plain(table(['ID', 'NAME', 'SPEED', 'SEEN'], rows)),
      ['ID  NAME     SPEED  SEEN', ' 9  Van          -  -', '10  Lorry 2    1.5  -'].join('\n'),
    )
  })

  it('shows its headings without rows', () => {
    assert.equal(plain(table(['ID', 'NAME'], [])), 'ID  NAME')
  })

  it('has any number of rows', () => {
    const lines = table(['ID'], Array(200_000).fill([1])).split('\n')
    assert.equal(lines.length, 200_001)
  })

  it('counts characters that a terminal shows wide as two columns', () => {
    const lines = plain(
      table(
        ['NAME', 'X'],
        [
          ['東京', 'x'],
          ['🚚 A', 'x'],
          ['Łódź', 'x'],
        ],
      ),
    ).split('\n')
    assert.deepEqual(lines, ['NAME  X', '東京  x', '🚚 A  x', 'Łódź  x'])
  })

  it('lets no value control the terminal', () => {
    assert.equal(plain(card({ name: 'a\nb\u0007c' })), 'name  a b⟨U+0007⟩c')
  })
})

it('a card aligns values', () => {
  assert.equal(plain(card({ id: 1, daily_quota: null })), 'id           1\ndaily_quota  -')
})

it('makes a text one line that cannot control a terminal', () => {
  assert.equal(harmless('Van\u001b[2J\r\n\u202e1\t\u20282'), 'Van⟨U+001B⟩[2J ⟨U+202E⟩1 ⟨U+2028⟩2')
})
