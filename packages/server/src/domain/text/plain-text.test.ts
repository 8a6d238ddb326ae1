import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainText } from './plain-text.ts'

test('a text with invalid UTF-8 or control characters is not plain', () => {
  assert.ok(isPlainText('Köln 🚌\nGermany'))
  assert.ok(!isPlainText(new TextDecoder().decode(Buffer.from('K\xf6ln', 'latin1'))))
  assert.ok(!isPlainText('a\u0000b'))
  assert.ok(!isPlainText('\ud800'))
})
