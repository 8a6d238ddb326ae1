import assert from 'node:assert/strict'
import { it } from 'node:test'
import { harmless } from './harmless.ts'

it('takes from a text what would steer a terminal, break its line or reorder it', () => {
  const hostile = [
    '\u001b[2J',
    '\u009b31m',
    '\r',
    '\n',
    '\u0007',
    '\u007f',
    '\u202e',
    '\u2066',
    '\u2028',
  ]
  for (const text of hostile) {
    assert.doesNotMatch(
      harmless(`Van ${text} 1`),
      /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u,
    )
  }
})

it('leaves names as they are written', () => {
  for (const name of ['Kamyon Ö', 'شاحنة\u200f 2', 'می\u200cخواهم', '👩\u200d🚒 1', '東京']) {
    assert.equal(harmless(name), name)
  }
})
