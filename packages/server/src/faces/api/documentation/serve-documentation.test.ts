import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDocuments } from './serve-documentation.ts'

const documentation = openDocuments(() => ({ apiUrl: '', exampleUrl: '', contact: null }))

const asset = (name: string) =>
  readFileSync(new URL(`../../../../assets/scalar/${name}`, import.meta.url))
const text = async (path: string) =>
  (await documentation().get(path)!.body(undefined)).toString('utf8')

test('the bundle is the file that SOURCE.json describes', async () => {
  const source = JSON.parse(asset('SOURCE.json').toString()) as { sha256: string }
  const path = [...documentation().keys()].find((path) => path.startsWith('/docs/scalar-'))!
  const bundle = await documentation().get(path)!.body(undefined)
  assert.equal(createHash('sha256').update(bundle).digest('hex'), source.sha256)
})

test('/openapi.json is the file in the repository', async () => {
  assert.deepEqual(
    await text('/openapi.json'),
    readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'),
  )
})

test('the page has no inline script and names no other host', async () => {
  const page = await text('/docs')
  assert.doesNotMatch(page, /<script(?![^>]* src=)|https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
})

test('only a path with the hash of its content is cached permanently', () => {
  for (const [path, { headers, tag }] of documentation()) {
    assert.equal(headers['cache-control']!.includes('immutable'), path.includes(tag), path)
  }
})

test('a document is compressed once', async () => {
  for (const path of ['/openapi.json', '/docs']) {
    const document = documentation().get(path)!
    for (const coding of ['gzip', 'br', 'zstd'] as const) {
      assert.equal(await document.body(coding), await document.body(coding))
    }
  }
})
