import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  at,
  importPositions,
  instantOf,
  linkOf,
  newLink,
  open,
  operator,
  organization,
  shown,
  TIMES,
  until,
} from './shared-fleet.ts'

const MAX_PAGE_BYTES = 60_000

describe('The page of a link', () => {
  it('is small, in the language of the viewer, private, and says nothing about vehicles', async () => {
    const { path } = await newLink({ name: 'Secret name' })
    for (const [language, words] of [
      ['en', 'Shared location'],
      ['de-AT,en;q=0.5', 'Geteilter Standort'],
      ['fr, es;q=0.8', 'Ubicación compartida'],
    ]) {
      const { status, headers, text } = await open(path, { 'accept-language': language! })
      assert.equal(status, 200)
      assert.ok(Buffer.byteLength(text) < MAX_PAGE_BYTES)
      assert.ok(text.includes(words!))
      assert.ok(!/Secret name|Van|fg_link_/.test(text))
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.match(String(headers['x-robots-tag']), /noindex/)
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; script-src 'self' 'sha256-/,
      )
    }
  })
})

describe('The data of a link', () => {
  it('are names, latest positions and the end, without ids', async () => {
    const { path } = await newLink()
    const { status, json } = await open(`${path}.json`)
    assert.equal(status, 200)
    const { motion, ...latest } = json.objects[0].latest
    assert.equal(typeof motion, 'string')
    assert.deepEqual(latest, {
      time: TIMES[2],
      latitude: 41,
      longitude: 2.02,
      speed: 50,
      angle: 90,
    })
    const [{ name, ...others }] = json.objects
    assert.deepEqual([name, Object.keys(others), json.objects.length], ['Van 1', ['latest'], 1])
    const { objects: _, ...rest } = json
    assert.deepEqual(rest, { name: 'Delivery', until, distance_unit: 'km' })
  })

  it('are of the times of the grant alone, and have the way since its begin if the link shows it', async () => {
    const grants = [{ objects: [shown], from: TIMES[0], until: TIMES[1] }]
    const { path } = await newLink({ grants, shows_way: true })
    const { latest, way } = (await open(`${path}.json`)).json.objects[0]
    assert.equal(latest.time, TIMES[1])
    assert.deepEqual(
      way,
      [0, 1].map((index) => [2 + index / 100, 41, Date.parse(TIMES[index]!)]),
    )
    assert.equal('way' in (await open(`${path}.json?way=false`)).json.objects[0], false)
  })

  it('have no way across a gap between two grants', async () => {
    const grants = [0, 2].map((index) => ({
      ...{ objects: [shown], from: TIMES[index], until: TIMES[index] },
    }))
    const { path } = await newLink({ grants, shows_way: true })
    const { way } = (await open(`${path}.json`)).json.objects[0]
    assert.deepEqual(way, [[2.02, 41, Date.parse(TIMES[2]!)]])
  })

  it('have the same way after a rotation', async () => {
    const { id } = await operator.post(`${at}/objects`, { name: 'Van 3', ident: 'Van 3' })
    const { link, path } = await newLink({ grants: [{ objects: [id] }], shows_way: true })
    const now = Date.now()
    await importPositions('Van 3', [now, now + 1_000].map(instantOf), { step: 0.000_1 })
    const wayAt = async (page: string) => (await open(`${page}.json`)).json.objects[0].way
    const way = await wayAt(path)
    assert.equal(way.length, 2)
    const { url } = await operator.post(`${at}/links/${link.id}/rotate`, { overlap_hours: 0 })
    assert.deepEqual(await wayAt(new URL(url).pathname), way)
  })

  it('are counted as reads and in the ledger; HEAD and the page are not', async () => {
    const { link, path } = await newLink({ recipient: 'Shipper', purpose: 'Delivery' })
    await open(path)
    await open(`${path}.json`, {}, 'HEAD')
    assert.equal((await linkOf(link.id)).reads_today, 0)
    for (let read = 0; read < 3; read += 1) await open(`${path}.json`)
    const { reads_today, last_read_at } = await linkOf(link.id)
    assert.equal(reads_today, 3)
    assert.ok(last_read_at !== null)
    const { items } = await operator.get(`${at}/disclosures?source=link&source_id=${link.id}`)
    const [{ object, requests, rows, recipient, source_name }] = items
    assert.deepEqual(
      [object, requests, rows, recipient, source_name],
      [shown, 3, 3, 'Shipper', 'Delivery'],
    )
    assert.equal(items.length, 1)
    const quota = await operator.get(`/organizations/${organization}/quota`)
    assert.deepEqual(quota.items ?? [], [], 'it costs no quota')
  })
})

describe('The acts on links', () => {
  it('replace the URL and keep the end, and are audited without the token', async () => {
    const { link, path } = await newLink()
    const rotated = await operator.post(`${at}/links/${link.id}/rotate`, { overlap_hours: 0 })
    assert.equal(rotated.link.expires_at, link.expires_at)
    assert.equal((await open(`${path}.json`)).status, 404)
    assert.equal((await open(`${new URL(rotated.url).pathname}.json`)).status, 200)
    const entries = (await operator.get('/audit?limit=2')).items
    assert.deepEqual(
      entries.map(({ action }: { action: string }) => action),
      ['link.rotate', 'link.issue'],
    )
    assert.ok(!JSON.stringify(entries).includes(path.slice('/s/'.length)))
  })

  it('refuse an end that is too far, ways of a whole fleet, and foreign objects', async () => {
    const far = new Date(Date.now() + 91 * 86_400_000).toISOString()
    const body = { name: 'x', grants: [{}], expires_at: until }
    for (const [wrong, field] of [
      [{ expires_at: far }, 'expires_at'],
      [{ expires_at: null }, 'expires_at'],
      [{ shows_way: true }, 'shows_way'],
      [{ grants: [{ objects: [999_999] }] }, 'grants'],
    ] as const) {
      const answer = await operator.ask('POST', `${at}/links`, { body: { ...body, ...wrong } })
      assert.deepEqual([answer.status, answer.json.field], [400, field])
    }
  })
})
