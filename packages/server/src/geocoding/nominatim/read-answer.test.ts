import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readAnswer } from './read-answer.ts'

describe('An answer of Nominatim', () => {
  it('is shortened to house number, street, settlement and country', () => {
    assert.deepEqual(readAnswer(200, recorded('house.json')), {
      address: '71, Via Guglielmo Marconi, Bologna, Italy',
    })
    assert.deepEqual(readAnswer(200, recorded('motorway.json')), {
      address: 'Autopista Pedro Eugenio Aramburu, El Triángulo, Argentina',
    })
  })

  it('may be empty, with status 200 or 404', () => {
    for (const status of [200, 404]) {
      assert.deepEqual(readAnswer(status, recorded('nothing.json')), { address: null })
    }
  })

  it('has no house number without its street, and no repetition', () => {
    const addressOf = (address: object) =>
      readAnswer(200, JSON.stringify({ display_name: 'whole', address }))
    assert.deepEqual(addressOf({ house_number: '5', hamlet: 'Alm', country: 'Austria' }), {
      address: 'Alm, Austria',
    })
    assert.deepEqual(addressOf({ road: 'Ring', city: 'Singapore', country: 'Singapore' }), {
      address: 'Ring, Singapore',
    })
  })

  it('uses the display name without parts', () => {
    for (const address of [undefined, {}, { postcode: '1' }, { road: 3 }]) {
      assert.deepEqual(readAnswer(200, JSON.stringify({ display_name: 'A,\n B', address })), {
        address: 'A, B',
      })
    }
  })

  it('is rejected if it is another document', () => {
    const others = [
      '',
      '<html>',
      '[]',
      'null',
      '{}',
      '{"display_name":""}',
      '{"error":"Too many"}',
      JSON.stringify({ display_name: 'x'.repeat(1025) }),
    ]
    for (const body of others) assert.equal(readAnswer(200, body), undefined, body)
    assert.equal(readAnswer(404, recorded('house.json')), undefined)
  })

  it('never makes the parser throw', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(200, 404), (body, status) => {
        const answer = readAnswer(status, `{"display_name":"whole","address":${body}}`)
        if (status === 200) assert.equal(typeof answer?.address, 'string')
      }),
    )
  })
})

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
}
