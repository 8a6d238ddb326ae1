import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertError, operatorBy, setUp } from '../harness/admin.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { changedTiles, DEMO_STREETS, FIELD, pictureTiles, withMetadata } from '../harness/tiles.ts'

const PATH = '/server/map.pmtiles'
const folder = temporaryFolder()
const file = join(folder, 'city.pmtiles')
copyFileSync(DEMO_STREETS, file)
const streets = readFileSync(file)
const picture = pictureTiles(readFileSync(join(REPOSITORY, 'docs/images/console/reference.png')))

const server = await serveHere(await newDeployment(), ['--map-tiles', file])
after(() => server.stop())
const origin = () => server.admin
const operator = operatorBy(origin, { cookie: await setUp(server) })
const range = (value: string, more: Record<string, string> = {}) =>
  operator.ask('GET', PATH, { headers: { range: value, ...more } })

/** Puts another file in place, as one does while readers have it open. */
function replaceBy(bytes: Buffer): void {
  writeFileSync(`${file}.new`, bytes)
  renameSync(`${file}.new`, file)
}

describe('The file of map tiles', () => {
  it('is given by ranges of bytes', async () => {
    const size = streets.length
    for (const [asked, start, end] of [
      ['bytes=0-16383', 0, 16_384],
      ['bytes=0-0', 0, 1],
      ['bytes=1509-2000', 1_509, 2_001],
      [`bytes=${size - 1}-`, size - 1, size],
      ['bytes=-10', size - 10, size],
      [`bytes=-${size + 5}`, 0, size],
      [`bytes=40-${size + 100}`, 40, size],
    ] as const) {
      const { status, headers, bytes } = await range(asked)
      assert.equal(status, 206, asked)
      assert.equal(headers['content-range'], `bytes ${start}-${end - 1}/${size}`)
      assert.equal(headers['content-length'], String(end - start))
      assert.equal(headers['content-type'], 'application/vnd.pmtiles')
      assert.match(String(headers.etag), /^"[^"]+"$/)
      assert.ok(bytes.equals(streets.subarray(start, end)), asked)
    }
  })

  it('is given whole where no single range is asked for', async () => {
    for (const asked of [undefined, 'bytes=5-4', 'bytes=0-1,4-5', 'lines=0-4', 'bytes=-', 'x']) {
      const headers: Record<string, string> = asked === undefined ? {} : { range: asked }
      const answer = await operator.ask('GET', PATH, { headers })
      assert.equal(answer.status, 200, asked)
      assert.equal(answer.headers['accept-ranges'], 'bytes')
      assert.equal(answer.headers['content-range'], undefined)
      assert.ok(answer.bytes.equals(streets))
    }
    const head = await operator.ask('HEAD', PATH)
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.text],
      [200, String(streets.length), ''],
    )
  })

  it('has no range behind its end', async () => {
    for (const asked of [`bytes=${streets.length}-`, 'bytes=9999999999-', 'bytes=-0']) {
      const answer = await range(asked)
      assertError(answer, 416, 'outside')
      assert.equal(answer.headers['content-range'], `bytes */${streets.length}`)
    }
  })

  it('is given to everybody who has a role, and to nobody else', async () => {
    const { id } = await operator.post('/organizations', { name: 'Acme' })
    const anybody = operatorBy(origin, {})
    assertError(await anybody.ask('GET', PATH), 401, 'signed_out')
    const body = { name: 'Own', role: 'viewer' }
    const { secret } = await operator.post(`/organizations/${id}/tokens`, body)
    const own = operatorBy(origin, { authorization: `Bearer ${secret}` })
    assert.equal((await own.ask('GET', PATH)).status, 200)
  })

  it('appears in the description of the server, with its own attribution', async () => {
    const { map } = await operator.get('/server')
    assert.deepEqual(map, {
      tiles_url: null,
      tiles_file: 'vector',
      attribution: 'Simulated streets',
    })
  })

  it('may be replaced, which changes its tag, and a range of the old one is not continued', async () => {
    const { etag } = (await range('bytes=0-9')).headers
    assert.equal((await range('bytes=0-9', { 'if-range': etag! })).status, 206)
    replaceBy(picture)
    const answer = await range('bytes=0-126')
    assert.notEqual(answer.headers.etag, etag)
    assert.ok(answer.bytes.equals(picture.subarray(0, 127)))
    assert.equal((await range('bytes=0-9', { 'if-range': etag! })).status, 200)
    const { map } = await operator.get('/server')
    assert.deepEqual([map.tiles_file, map.attribution], ['raster', 'A picture'])
    replaceBy(streets)
    assert.notEqual((await range('bytes=0-9')).headers.etag, etag, 'equal bytes, another file')
  })

  it('may go, or be replaced by something else: the map does without it, and the log says why', async () => {
    rmSync(file)
    assertError(await range('bytes=0-9'), 404, 'not_found')
    assert.equal((await operator.get('/server')).map.tiles_file, null)
    replaceBy(Buffer.from('no tiles'))
    assertError(await range('bytes=0-9'), 503, 'bad_tiles')
    assert.equal((await operator.get('/server')).map.tiles_file, null)
    replaceBy(streets)
    assert.equal((await range('bytes=0-9')).status, 206)
    assert.equal((await operator.get('/server')).map.tiles_file, 'vector')
    const written = () => JSON.stringify(server.log)
    while (!written().includes('not a PMTiles file')) await wait(20)
    assert.match(written(), /the file of map tiles cannot be used.*ENOENT/)
  })

  it('comes from this machine, so the page may ask no other', async () => {
    const { headers } = await fetch(server.admin, { headers: { accept: 'text/html' } })
    const policy = headers.get('content-security-policy')
    if (policy === null) return
    assert.match(policy, /connect-src 'self';/)
    assert.doesNotMatch(policy, /http/)
  })
})

describe('A server without a file of map tiles', () => {
  it('answers 404 in its place', async () => {
    const template = 'https://tiles.example.com/{z}/{x}/{y}.png'
    for (const args of [[], ['--map-tiles', template, '--map-attribution', 'Somebody']]) {
      const other = await serveHere(await newDeployment(), args)
      const here = operatorBy(() => other.admin, { cookie: await setUp(other) })
      assertError(await here.ask('GET', PATH), 404, 'not_found')
      const { map } = await here.get('/server')
      const [tiles_url, attribution] = args.length > 0 ? [template, 'Somebody'] : [null, null]
      assert.deepEqual(map, { tiles_url, tiles_file: null, attribution })
      await other.stop()
    }
  })

  it('has the simulated streets, if it has the demo fleet', {
    skip: isEmbedded ? false : 'the demo has a data folder',
  }, async () => {
    const demo = await serveHere(await newDeployment(), ['--demo', '--geocoder', 'off'])
    const here = operatorBy(() => demo.admin, { cookie: await setUp(demo) })
    const { bytes } = await here.ask('GET', PATH)
    assert.ok(bytes.equals(streets))
    await demo.stop()
  })
})

describe('A file of map tiles that cannot be used', () => {
  const WRONG: Record<string, { bytes: Buffer; says: RegExp }> = {
    'is no PMTiles file': { bytes: Buffer.from('SQLite format 3'), says: /not a PMTiles file/ },
    'is empty': { bytes: Buffer.alloc(0), says: /not a PMTiles file/ },
    'is of version 2': {
      bytes: Buffer.concat([Buffer.from('PM\x02\x00'), Buffer.alloc(200)]),
      says: /of version 2; the map requires version 3/,
    },
    'is of version 4': { bytes: changedTiles({ [FIELD.version]: 4 }), says: /of version 4/ },
    'ends within its header': {
      bytes: streets.subarray(0, 60),
      says: /ends within its header/,
    },
    'was cut off': {
      bytes: streets.subarray(0, 20_000),
      says: new RegExp(`was cut off: it has 20000 of ${streets.length} bytes`),
    },
    'has tiles of another kind': {
      bytes: changedTiles({ [FIELD.tileType]: 6 }),
      says: /neither vector tiles/,
    },
    'is packed by Brotli': {
      bytes: changedTiles({ [FIELD.tileCompression]: 3 }),
      says: /its compression is not gzip/,
    },
    'has vector tiles of another schema': {
      bytes: withMetadata({ vector_layers: [{ id: 'transportation' }, { id: 'building' }] }),
      says: /not from the Protomaps basemap.*only transportation, building/,
    },
    'has no metadata': { bytes: withMetadata({}), says: /no layer 'roads'$/m },
  }

  for (const [what, { bytes, says }] of Object.entries(WRONG)) {
    it(`ends the start where it ${what}`, async () => {
      const wrong = join(folder, 'wrong.pmtiles')
      writeFileSync(wrong, bytes)
      await assertNotStarted(wrong, says)
    })
  }

  it('ends the start where it is missing, or a folder', async () => {
    await assertNotStarted(join(folder, 'none.pmtiles'), /ENOENT: no such file/)
    mkdirSync(join(folder, 'folder.pmtiles'))
    await assertNotStarted(join(folder, 'folder.pmtiles'), /EISDIR/)
  })

  async function assertNotStarted(path: string, says: RegExp): Promise<void> {
    const { runHere } = await commandLine()
    const data = join(folder, 'data')
    const { code, stderr } = await runHere(['serve', '--data', data, '--map-tiles', path])
    assert.equal(code, 1, stderr)
    assert.ok(stderr.includes(`'${path}' of --map-tiles cannot be used`), stderr)
    assert.match(stderr, says)
  }
})
