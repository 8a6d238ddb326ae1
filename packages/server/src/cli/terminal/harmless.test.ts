import assert from 'node:assert/strict'
import { it } from 'node:test'
import { harmless } from './harmless.ts'

it('makes a text one line that cannot control a terminal', () => {
  assert.equal(harmless('Van\u001b[2J\r\n\u202e1\t\u20282'), 'Van⟨U+001B⟩[2J ⟨U+202E⟩1 ⟨U+2028⟩2')
})
