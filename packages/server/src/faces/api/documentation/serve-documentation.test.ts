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

test('the reference has no script, and neither page loads from another host', async () => {
  const [reference, trial] = [await text('/docs'), await text('/docs/try')]
  assert.doesNotMatch(reference, /<script|<link(?! rel="icon" href="data:)|\son\w+=/)
  assert.doesNotMatch(trial, /<script(?![^>]* src="\/docs\/)|https?:\/\/(?!www\.w3\.org)/)
})

test('the policy of the reference allows its style alone', async () => {
  const [, style] = /<style>(.*)<\/style>/s.exec(await text('/docs'))!
  const hash = createHash('sha256').update(style!).digest('base64')
  const policy = documentation().get('/docs')!.headers['content-security-policy']!
  assert.match(policy, /default-src 'none'/)
  assert.ok(policy.includes(`style-src 'sha256-${hash}'`))
  assert.doesNotMatch(policy, /script-src|connect-src|unsafe/)
})

test('the reference has each operation, parameter, header, error and schema', async () => {
  const page = await text('/docs')
  const { paths, components } = JSON.parse(await text('/openapi.json'))
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))
  const targets = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, anchor]) => anchor!)
  assert.deepEqual(
    [...new Set(targets)].filter((anchor) => !ids.has(anchor)),
    [],
  )
  const shown = (value: string) => page.includes(value.replaceAll('<', '&lt;'))
  for (const [path, { get }] of Object.entries<{ get: { tags: string[]; summary: string } }>(
    paths,
  )) {
    assert.ok(ids.has(`tag/${get.tags[0]!.toLowerCase()}/GET${path}`), path)
    assert.ok(page.includes(`>${get.summary}</a></h3>`), get.summary)
  }
  for (const { name } of Object.values<{ name: string }>(components.parameters)) {
    assert.ok(page.includes(`<li><code>${name}</code>`), name)
  }
  for (const name of Object.keys(components.headers)) assert.ok(ids.has(`header/${name}`), name)
  for (const name of Object.keys(components.schemas)) assert.ok(ids.has(`model/${name}`), name)
  for (const code of ['PUBLIC.400_005: ', 'PUBLIC.410_001: ', 'SUBSCRIPTION.403_002: ']) {
    assert.ok(shown(code), code)
  }
})

test('an example of a request has the parameters that a first request needs', async () => {
  const page = await text('/docs')
  for (const target of ['/objects/1071', '/positions/latest?ids=1071,1072', '/ping']) {
    assert.ok(page.includes(`https://your-host/public/v1${target}&quot;\n</code>`), target)
  }
})

test('the operator’s address and contact are on the page', async () => {
  const page = async (contact: string) => {
    const about = { apiUrl: '', exampleUrl: 'https://fleet.example', contact }
    return (
      await openDocuments(() => about)()
        .get('/docs')!
        .body(undefined)
    ).toString()
  }
  const mailed = await page('api@fleet.example')
  assert.match(mailed, /<a href="mailto:api@fleet\.example">Contact the operator<\/a>/)
  assert.match(mailed, /https:\/\/fleet\.example\/public\/v1\/objects/)
  assert.doesNotMatch(mailed, /your-host/)
  assert.match(
    await page('https://fleet.example/help'),
    /<a href="https:\/\/fleet\.example\/help">/,
  )
})

test('only a path with the hash of its content is cached permanently', () => {
  for (const [path, { headers, tag }] of documentation()) {
    assert.equal(headers['cache-control']!.includes('immutable'), path.includes(tag), path)
  }
})

test('a document is compressed once', async () => {
  for (const path of ['/openapi.json', '/docs', '/docs/try']) {
    const document = documentation().get(path)!
    for (const coding of ['gzip', 'br', 'zstd'] as const) {
      assert.equal(await document.body(coding), await document.body(coding))
    }
  }
})
