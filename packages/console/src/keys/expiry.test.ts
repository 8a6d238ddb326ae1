/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiresAt, isChosen, NEVER } from './expiry.ts'

const NOW = Date.parse('2026-03-27T10:00:00Z')

test('a key is valid until the end of its last day, in local time or UTC', () => {
  process.env.TZ = 'Europe/Berlin'
  const lastDay = { choice: 'day', day: '2026-03-29' } as const
  assert.equal(expiresAt(lastDay, NOW, false), '2026-03-29T22:00:00.000Z')
  assert.equal(expiresAt(lastDay, NOW, true), '2026-03-30T00:00:00.000Z')
})

test('a key with an end date needs a whole date', () => {
  for (const day of ['', '2026-02-', '12026-03-29']) {
    assert.equal(isChosen({ choice: 'day', day }), false)
  }
})

test('a key is valid for some days or without limit', () => {
  assert.equal(expiresAt({ choice: '30', day: '' }, NOW, false), '2026-04-26T10:00:00.000Z')
  assert.equal(expiresAt(NEVER, NOW, false), null)
  assert.ok(isChosen(NEVER))
})
