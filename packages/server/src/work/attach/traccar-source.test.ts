import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mysqlEngine } from './mysql-engine.ts'
import { postgresEngine } from './postgres-engine.ts'
import { addressOf, NoTraccar } from './traccar-source.ts'

describe('the URL of an attached database', () => {
  const tlsOf = (query: string) =>
    addressOf(`jdbc:mysql://db.example.com/traccar${query}`).address.tls

  for (const query of ['', '?useSSL=false', '?sslMode=DISABLED', '?sslmode=disable&ssl=true']) {
    it(`asks for no encryption by '${query}'`, () => assert.equal(tlsOf(query), undefined))
  }
  for (const query of ['?ssl=true', '?ssl=1', '?useSSL=true', '?sslMode=REQUIRED']) {
    it(`asks for encryption by '${query}'`, () => {
      assert.deepEqual(tlsOf(query), { rejectUnauthorized: false })
    })
  }
  for (const query of ['?sslmode=verify-full', '?sslMode=VERIFY_CA', '?sslMode=VERIFY_IDENTITY']) {
    it(`asks for a checked certificate by '${query}'`, () => {
      assert.deepEqual(tlsOf(query), { rejectUnauthorized: true })
    })
  }

  it('is refused where encryption would depend on the server', () => {
    assert.throws(() => tlsOf('?sslMode=PREFERRED'), NoTraccar)
  })

  it('is refused where the driver would not check the address of the certificate', () => {
    const url = '//127.0.0.1/traccar?sslmode=verify-full'
    assert.throws(
      () => addressOf(`mysql:${url}`),
      /requires the name of the host in the URL, not its address/,
    )
    assert.equal(addressOf(`postgres:${url}`).address.host, '127.0.0.1')
  })

  it('has a password with each character', () => {
    const passwords = ['mysql://a:100%25@b/c', 'mysql://b/c?user=a&password=100%25'].map(
      (url) => addressOf(url).address.password,
    )
    assert.deepEqual(passwords, ['100%', '100%'])
    assert.throws(() => addressOf('mysql://a:100%@b/c'), /must be written %25/)
  })
})

describe('an attached database that is away for a while', () => {
  const error = (more: object) => Object.assign(new Error('of the driver'), more)

  for (const code of ['40001', '57014', '55P03', '57P01', '08006', 'ECONNRESET']) {
    it(`is a PostgreSQL with ${code}`, () => assert.ok(postgresEngine.isAway(error({ code }))))
  }
  for (const code of ['ER_QUERY_INTERRUPTED', 'ER_LOCK_WAIT_TIMEOUT', 'ER_USER_LIMIT_REACHED']) {
    it(`is a MySQL with ${code}`, () => assert.ok(mysqlEngine.isAway(error({ code }))))
  }

  it('is a MySQL whose connection ended while it was idle, or that ended a long question', () => {
    assert.ok(mysqlEngine.isAway(error({ fatal: true })))
    assert.ok(mysqlEngine.isAway(error({ errno: 1969, code: 'ER_UNKNOWN' })))
  })

  it('is not one that refuses', () => {
    assert.ok(!mysqlEngine.isAway(error({ code: 'ER_ACCESS_DENIED_ERROR', fatal: true })))
    assert.ok(!postgresEngine.isAway(error({ code: '28P01' })))
  })
})
