/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from './parse.ts'

test('hidden characters in the texts of an answer are made visible', () => {
  const answer = { items: [{ id: 7, name: 'Van \u202e1', description: 'a\nb\u200b', vin: null }] }
  assert.deepEqual(parse(JSON.stringify(answer)), {
    items: [{ id: 7, name: 'Van ⟨U+202E⟩1', description: 'a\nb⟨U+200B⟩', vin: null }],
  })
  const harmless = { name: 'می\u200cخواهم 👩\u200d🚒', at: 1.5 }
  assert.deepEqual(parse(JSON.stringify(harmless)), harmless)
})
