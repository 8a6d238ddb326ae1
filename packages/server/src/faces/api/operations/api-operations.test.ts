import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { malformedRequest, methodNotAllowed, pathNotFound } from '../../../read/refusal.ts'
import { findRoute, OPERATIONS } from './api-operations.ts'

/** The name of the operation, its id and its query; or the status of the refusal. */
function found(target: string, method = 'GET') {
  const route = findRoute(method, target)
  return 'status' in route ? route.status : [route.operation.id, route.id, route.search]
}

describe('A route', () => {
  for (const { id, path } of OPERATIONS) {
    it(`matches ${path}, with and without a query`, () => {
      const target = `/public/v1${path.replace('{id}', '7')}`
      const inPath = path.includes('{id}') ? '7' : ''
      assert.deepEqual(found(target), [id, inPath, ''])
      assert.deepEqual(found(`${target}?tz=UTC`), [id, inPath, 'tz=UTC'])
    })
  }

  it('keeps the query unchanged', () => {
    assert.deepEqual(found('/public/v1/objects?'), ['listObjects', '', ''])
    assert.deepEqual(found('/public/v1/objects?a=/b?c%ff'), ['listObjects', '', 'a=/b?c%ff'])
    assert.deepEqual(found('/public/v1/objects/7?x=1'), ['getObject', '7', 'x=1'])
  })

  it('accepts any id, which the operation checks', () => {
    for (const [sent, id] of [
      ['abc', 'abc'],
      ['-1', '-1'],
      ['%37', '7'],
      ['1%2F2', '1/2'],
      ['%20', ' '],
      ['7+1', '7+1'],
      ['{id}', '{id}'],
      ['..', '..'],
    ]) {
      assert.deepEqual(found(`/public/v1/objects/${sent}`), ['getObject', id, ''], sent)
      assert.deepEqual(
        found(`/public/v1/objects/${sent}/positions`),
        ['listPositions', id, ''],
        sent,
      )
    }
  })

  it('matches despite unnecessary percent-encoding', () => {
    assert.deepEqual(found('/public/v1/%6Fbjects/7/%70ositions'), ['listPositions', '7', ''])
  })

  it('matches no other path', () => {
    for (const target of [
      '/',
      '',
      '*',
      '/public',
      '/public/v1',
      '/public/v1/',
      '/public/v2/objects',
      '/public/v10/objects',
      '/Public/v1/objects',
      '/public/v1/Objects',
      '/public/v1//objects',
      '//public/v1/objects',
      '/public/v1/objects/',
      '/public/v1/objects//positions',
      '/public/v1/objects/7/',
      '/public/v1/routes/7',
      '/public/v1/routes//adherence',
      '/public/v1/sites/7/adherence',
      '/public/v1/objects/7/positions/',
      '/public/v1/objects/7/Positions',
      '/public/v1/objects/7/positions/8',
      '/public/v1/objects%2F7',
      '/public/v1/objects/7%2Fpositions/',
      '/public/v1/positions/',
      '/public/v1/positions/at/',
      '/public/v1/positions/now',
      '/public/v1/positions/latest/',
      '/public/v1/positions%2Flatest',
      '/public/v1/geofences/1',
      '/public/v1/objects#a',
      '/public/v1/%7Bid%7D',
      '/public/v1/__proto__',
      'public/v1/objects',
    ]) {
      assert.deepEqual(findRoute('GET', target), pathNotFound, target)
      assert.deepEqual(findRoute('POST', target), pathNotFound, target)
    }
  })

  it('is malformed if its percent-encoding is broken', () => {
    for (const target of [
      '/public/v1/objects/%',
      '/public/v1/%ff',
      '/%zz',
      '/public/v1/objects/1/%C3',
    ]) {
      assert.deepEqual(findRoute('GET', target), malformedRequest, target)
    }
  })

  it('answers to GET and HEAD only', () => {
    const path = '/public/v1/objects/x/positions?a=1'
    assert.deepEqual(found(path, 'HEAD'), found(path))
    for (const method of ['get', '']) {
      assert.deepEqual(findRoute(method, path), methodNotAllowed('GET, HEAD'))
    }
  })

  it('is found or refused for any target', () => {
    const anyTarget = fc.array(
      fc.constantFrom(
        '/',
        '/public/v1/',
        'objects',
        'positions',
        'latest',
        '7',
        '%',
        '%2F',
        '?',
        '=',
        'é',
      ),
    )
    fc.assert(
      fc.property(anyTarget, (parts) => {
        const route = findRoute('GET', parts.join(''))
        assert.ok('operation' in route || [400, 404].includes(route.status))
      }),
    )
  })
})
