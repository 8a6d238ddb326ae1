import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refuseBrowsers } from './browser.ts'

describe('A browser', () => {
  const refused = { name: 'TypeError', message: /browser.*your own server/ }

  it('is refused with an explanation, as a page and as a worker', () => {
    assert.throws(() => refuseBrowsers({ document: {} } as object), refused)
    assert.throws(() => refuseBrowsers({ WorkerGlobalScope: class {} } as object), refused)
  })

  it('is recognized even if a bundler defines process', () => {
    const shim = { document: {}, process: { env: {}, versions: {} } }
    assert.throws(() => refuseBrowsers(shim), refused)
  })

  it('is not confused with Node with a document, Deno, or Bun', () => {
    refuseBrowsers(globalThis)
    refuseBrowsers({ document: {}, process: { versions: { node: '24.0.0' } } } as object)
    refuseBrowsers({ WorkerGlobalScope: class {}, Deno: { version: {} } } as object)
    refuseBrowsers({ Bun: { version: '1.3.0' } })
  })
})
