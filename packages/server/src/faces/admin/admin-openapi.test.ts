import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapi } from './admin-openapi.ts'

type Parts = Record<string, Record<string, object>>

test('each reference is to a part of the description, and each shared part is used', () => {
  const description = openapi() as { components: Parts }
  const named = Object.entries(description.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `#/components/${kind}/${name}`))
  const used = Array.from(
    JSON.stringify(description).matchAll(/"\$ref":"([^"]+)"/g),
    ([, to]) => to,
  )
  assert.deepEqual([...new Set(used)].sort(), named.sort())
})
