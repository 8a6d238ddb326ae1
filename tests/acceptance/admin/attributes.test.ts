import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError, startConsole } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'

const { operator } = await startConsole()
const { get, post, patch } = operator

const { id } = await post('/organizations', { name: 'Cold chain' })
const at = `/organizations/${id}/attributes`
const object = (await post(`/organizations/${id}/objects`, { name: 'Van', ident: 'cold 1' })).id
const newest = async (): Promise<Json> => (await get('/audit?limit=1')).items[0]

describe('The catalogue of attributes in the admin API', () => {
  it('takes an attribute, changes, hides and removes it, and audits each', async () => {
    const given = { name: 'cargo', sources: ['temp1', 'temp1'], is_public: true }
    const { items } = await patch(at, given)
    assert.deepEqual(items, [
      {
        ...{ name: 'cargo', type: 'number', unit: '°C', label: 'Cargo', decimals: 1 },
        ...{ scale: 1, offset: 0, sources: ['temp1'], is_counter: false, is_public: true },
        ...{ value: null, value_at: null },
      },
    ])
    await patch(at, { name: 'cargo', scale: 0.1, unit: null })
    assert.deepEqual((await newest()).changes, {
      unit: { from: '°C', to: null },
      scale: { from: 1, to: 0.1 },
    })
    const hidden = await post(`${at}/hide`, { names: ['cargo'] })
    assert.equal(hidden.items[0].is_public, false)
    const published = await post(`${at}/publish`, { names: null })
    assert.equal(published.items[0].is_public, true)
    assert.deepEqual(await post(`${at}/remove`, { names: ['cargo'] }), { items: [], sent: [] })
    const { action, name, organization } = await newest()
    assert.deepEqual([action, name, organization], ['attribute.delete', 'cargo', id])
  })

  it('refuses what breaks a rule, and says which field', async () => {
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: 'Cargo' }, 'name'],
      [{ name: 'cargo', decimals: 7 }, 'decimals'],
      [{ name: 'cargo', scale: 0 }, 'scale'],
      [{ name: 'cargo', sources: [] }, 'sources'],
      [{ name: 'cargo', type: 'text', is_counter: true }, 'is_counter'],
      [{ name: 'cargo', color: 'red' }, 'color'],
    ] as const) {
      assertError(await operator.ask('PATCH', at, { body }), 400, 'invalid', field)
    }
    for (const names of [[], 'cargo', [1], ['cargo']]) {
      assertError(
        await operator.ask('POST', `${at}/publish`, { body: { names } }),
        400,
        'invalid',
        'names',
      )
    }
    assertError(
      await operator.ask('POST', `${at}/hide`, { body: { names: null } }),
      400,
      'invalid',
      'names',
    )
    assert.deepEqual(await get(at), { items: [], sent: [] })
  })

  it('has no values of an object that sent none', async () => {
    const values = `/organizations/${id}/objects/${object}/attributes/values`
    const day = 'from=2026-11-20T00:00:00Z&to=2026-11-20T23:59:59Z'
    assert.deepEqual(await get(`${values}?${day}`), { items: [], positions: 0, truncated: false })
    assertError(await operator.ask('GET', values), 400, 'invalid', 'from')
  })
})
