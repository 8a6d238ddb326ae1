import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from '../harness/client.ts'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'

const isBuilt = existsSync(join(REPOSITORY, 'packages/console/dist/index.html'))
const TILES = 'https://tiles.example.com/{z}/{x}/{y}.png'
const server = await serveHere(await newDeployment(), ['--map-tiles', TILES])
after(() => server.stop())
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  request(server.admin, path, { method, headers })

describe('The console', { skip: isBuilt ? false : 'it was not built' }, async () => {
  it('is a page that runs only its own scripts and cannot be framed', async () => {
    const { status, headers, text } = await get('/')
    assert.equal(status, 200)
    assert.match(String(headers['content-type']), /^text\/html; charset=utf-8/)
    const policy = String(headers['content-security-policy'])
    for (const rule of ["default-src 'none'", "script-src 'self';", "base-uri 'none'"]) {
      assert.ok(policy.includes(rule), rule)
    }
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /img-src 'self' data: blob: https:\/\/tiles\.example\.com;/)
    assert.match(policy, /connect-src 'self' https:\/\/tiles\.example\.com;/)
    assert.doesNotMatch(policy, /unsafe|\*|http:/)
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=")|<style|\son\w+=|https?:\/\//)
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['set-cookie'], undefined)
  })

  it('serves the same page at each of its paths', async () => {
    const { text, headers } = await get('/')
    for (const path of ['/setup', '/organizations/7/map?x=1', '/a.b', '/../../package.json']) {
      const deep = await get(path, { accept: 'text/html,*/*;q=0.8' })
      assert.equal(deep.text, text, path)
      assert.equal(deep.headers['content-security-policy'], headers['content-security-policy'])
      assert.equal((await get(path)).status, 404, 'to a program')
    }
  })

  it('serves files with permanent caching, compression and entity tags', async () => {
    const { text } = await get('/')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)![1]!
    for (const path of ['/', script]) {
      const plain = await get(path)
      const packed = await get(path, { 'accept-encoding': 'gzip, br' })
      assert.equal(packed.headers['content-encoding'], 'br')
      assert.equal(packed.headers.vary, 'Accept-Encoding')
      assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes)
      assert.notEqual(packed.headers.etag, plain.headers.etag)
      assert.equal(
        (await get(path, { 'accept-encoding': 'br;q=0' })).headers['content-encoding'],
        undefined,
      )
      const gzip = await get(path, { 'accept-encoding': 'gzip' })
      assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes)
      for (const { headers } of [plain, packed, gzip]) {
        const encoding = headers['content-encoding'] ?? 'identity'
        const known = { 'if-none-match': `"a", ${headers.etag}`, 'accept-encoding': encoding }
        const answer = await get(path, known)
        assert.deepEqual([answer.status, answer.bytes.length], [304, 0])
        assert.equal(answer.headers.etag, headers.etag)
      }
      const head = await get(path, {}, 'HEAD')
      assert.deepEqual([head.status, head.bytes.length], [200, 0])
      assert.equal(Number(head.headers['content-length']), plain.bytes.length)
    }
    const { headers } = await get(script)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(headers['content-type']), /^text\/javascript/)
  })

  it('does not serve the page in place of a missing file of an older build', async () => {
    for (const path of ['/assets/index-0.js', '/assets/', '/assets/../index.html']) {
      const { status, headers } = await get(path)
      assert.equal(status, 404, path)
      assert.match(String(headers['content-type']), /^text\/plain/)
    }
  })
})

describe('The console of a server', () => {
  it('is read-only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      const { status, headers } = await get('/', {}, method)
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'])
    }
  })

  it('explains how to build it when it is missing', {
    skip: isBuilt ? 'it was built' : false,
  }, async () => {
    for (const path of ['/', '/setup', '/assets/index.js']) {
      const { status, text } = await get(path)
      assert.equal(status, 404)
      assert.match(text, /was not built: .*npm/)
    }
  })

  it('is absent, with its API, in a process without its role', async () => {
    const api = await serveHere(await newDeployment(), ['--role', 'api'])
    assert.equal(api.log[0].console, undefined)
    assert.deepEqual(await api.secrets(), {})
    for (const path of ['/', '/admin/v1/session', '/admin/v1/openapi.json', '/setup']) {
      const { status, headers } = await request(api.admin, path)
      assert.equal(status, 404, path)
      assert.equal(headers['content-security-policy'], undefined)
    }
    assert.equal((await request(api.admin, '/ready')).status, 200)
    assert.equal((await request(api.admin, '/admin/v1/session', { method: 'POST' })).status, 405)
    await api.stop()
  })
})
