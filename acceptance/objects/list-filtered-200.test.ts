import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects with filters: 200', () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  const list = (query: string) => organization.get(`/objects?${query}`)
  const found = async (query: string) => (resultOf(await list(query)) as Json[]).map(({ id }) => id)

  it('finds an object by its ident, vin or plate number, each exactly', async () => {
    assert.deepEqual(await found(`ident=${IDENTS.truck}`), [truck])
    assert.deepEqual(await found(`ident=${IDENTS.truck.slice(1)}`), [])
    assert.deepEqual(await found('vin=WDB9066331S123456'), [van])
    assert.deepEqual(await found('plate_number=34%20ABC%20123'), [van])
    assert.deepEqual(await found(`ident=${IDENTS.truck}&plate_number=34%20ABC%20123`), [])
  })

  it('finds a text in the name, the ident, the vin or the plate number', async () => {
    assert.deepEqual(await found('q=abc%2012'), [van])
    assert.deepEqual(await found('q=35'), [van, longHaul, silent])
    assert.deepEqual(await found('q=kamyon%20%C3%B6'), [truck])
  })

  it('shows an object as the whole list does', async () => {
    const whole = resultOf(await list('')) as Json[]
    assert.deepEqual(resultOf(await list('q=silent')), whole.slice(-1))
  })
})

describe('GET /objects with a filter and If-None-Match: 304', () => {
  it('has an entity tag of its own for each filter', async () => {
    const organization = fleet.take()
    const { headers } = await organization.get('/objects?q=van')
    const tag = String(headers.etag)
    const again = (path: string) =>
      organization.get(path, { headers: { 'If-None-Match': tag } }).then(({ status }) => status)
    assert.equal(await again('/objects?q=van'), 304)
    assert.equal(await again('/objects?q=silent'), 200)
    assert.equal(await again('/objects'), 200)
  })
})
