import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { askPostgres } from '../../../../testing/servers/ask-postgres.ts'
import { OWN_ADDRESS, reachedAt } from '../../../../testing/servers/own-address.ts'
import { type PostgresServer, startPostgres } from '../../../../testing/servers/postgres.ts'
import { emptyDatabase, serverUrl } from '../../../../testing/servers/shared-postgres.ts'
import { statement } from './connection-pool.ts'
import { openDatabase } from './database.ts'
import { checkForServing } from './server-check.ts'

const NOBODY = 65_534
const ENCRYPTED = statement('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
const UNTRUSTED = /certificate of PostgreSQL is not accepted/
const MODES = /disable, allow, prefer, require, verify-ca or verify-full/

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe('The sslmode of a connection', {
  skip: hasOpenssl ? false : 'there is no openssl',
}, () => {
  let folder: string
  let postgres: PostgresServer
  /** Self-signed certificates: the server's, for `localhost` only, and another one. */
  let [own, other] = ['', '']

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fleetgate-tls-'))
    own = certificate('own')
    other = certificate('other')
    if (process.getuid?.() === 0) {
      for (const file of [folder, keyOf(own)]) chownSync(file, NOBODY, NOBODY)
    }
    const files = { ssl_cert_file: own, ssl_key_file: keyOf(own) }
    postgres = await startPostgres({ ssl: 'on', ...files })
  })
  after(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function certificate(name: string): string {
    const file = join(folder, `${name}.pem`)
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', keyOf(file), '-out', file, '-days', '2', '-subj', `/CN=${name}`],
      ...['-addext', 'subjectAltName=DNS:localhost'],
    ])
    assert.equal(made.status, 0, String(made.stderr))
    return file
  }

  const named = (host: string, query: string) =>
    `${postgres.url.replace('127.0.0.1', host)}${query.replace('OWN', own).replace('OTHER', other)}`

  const encrypted: [query: string, host?: string][] = [
    [''],
    ['?sslmode=allow'],
    ['?sslmode=prefer'],
    ['?sslmode=require'],
    ['?ssl=true'],
    ['?sslmode=require&sslrootcert=OWN'],
    ['?sslmode=verify-ca&sslrootcert=OWN'],
    ['?sslmode=verify-full&sslrootcert=OWN', 'localhost'],
  ]
  for (const [query, host = '127.0.0.1'] of encrypted) {
    it(`encrypts: ${host}/postgres${query}`, async () => {
      assert.equal(await isEncrypted(named(host, query)), true)
    })
  }

  const refused: [query: string, why: RegExp][] = [
    ['?sslmode=require&sslrootcert=OTHER', UNTRUSTED],
    ['?sslmode=verify-ca&sslrootcert=OTHER', UNTRUSTED],
    ['?sslmode=verify-full&sslrootcert=OWN', UNTRUSTED],
    ['?sslmode=verify-full', UNTRUSTED],
    ['?sslrootcert=system', UNTRUSTED],
    ['?sslmode=verify-ca', /sslmode=verify-ca requires sslrootcert/],
    ['?sslmode=require&sslrootcert=system', /sslrootcert=system requires sslmode=verify-full/],
    ['?sslmode=verify-full&sslrootcert=/no/such/file', /sslrootcert cannot be read/],
    ['?sslmode=REQUIRE', MODES],
    ['?sslmode=no-verify', MODES],
    ['?ssl=no-verify', /ssl must be true, not no-verify; or use sslmode/],
  ]
  for (const [query, why] of refused) {
    it(`refuses: 127.0.0.1/postgres${query}`, async () => {
      await assert.rejects(isEncrypted(named('127.0.0.1', query)), why)
    })
  }

  it('disables encryption with disable, as does PGSSLMODE=disable without a value in the URL', async () => {
    assert.equal(await isEncrypted(named('127.0.0.1', '?sslmode=disable')), false)
    process.env.PGSSLMODE = 'disable'
    try {
      assert.equal(await isEncrypted(postgres.url), false)
      assert.equal(await isEncrypted(named('127.0.0.1', '?sslmode=require')), true)
    } finally {
      delete process.env.PGSSLMODE
    }
  })

  const noOwnAddress = OWN_ADDRESS === undefined && 'this machine has no address but loopback'
  it('causes a warning about connections to another machine without encryption', {
    skip: noOwnAddress,
  }, async (t) => {
    const outside = await reachedAt(OWN_ADDRESS!, postgres.url)
    t.after(outside.stop)
    const down = 'postgres://fleetgate@127.0.0.1:1/postgres'
    const [plain, encrypted] = [`${outside.url}?sslmode=disable`, outside.url]
    const warning = new RegExp(`PostgreSQL at ${OWN_ADDRESS} is not encrypted.*verify-full`)
    assert.match(String(await checkForServing(plain, [], 1)), warning)
    assert.match(String(await checkForServing(encrypted, [down, plain], 1)), warning)
    assert.deepEqual(await checkForServing(encrypted, [down], 1), [])
    assert.deepEqual(await checkForServing(named('127.0.0.1', '?sslmode=disable'), [], 1), [])
  })

  it('allows plain connections to a server without TLS, or refuses them from require on', async () => {
    const url = await serverUrl()
    for (const query of ['', '?sslmode=allow', '?sslmode=prefer', '?sslmode=disable']) {
      assert.equal(await isEncrypted(url + query), false, query)
    }
    for (const query of ['?sslmode=require', '?sslmode=verify-full']) {
      await assert.rejects(isEncrypted(url + query), /does not support SSL/, query)
    }
  })
})

function keyOf(file: string): string {
  return `${file}.key`
}

async function isEncrypted(url: string): Promise<boolean> {
  const database = openDatabase(url, 1)
  try {
    const [row] = await database.query<{ ssl: boolean }>(ENCRYPTED)
    return row!.ssl
  } finally {
    await database.close()
  }
}

/** Settings that an operator may give a database, a role or a URL for other programs. */
const FOREIGN = {
  bytea_output: 'escape',
  extra_float_digits: '0',
  array_nulls: 'off',
  default_transaction_isolation: 'serializable',
  plan_cache_mode: 'force_generic_plan',
}
const VALUES = statement(`
  SELECT '\\x0041'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum,
    ($1::float8[])[1] IS NULL AS "isNull", current_setting('transaction_isolation') AS isolation,
    current_setting('plan_cache_mode') AS plans
`)

for (const place of ['the database', 'the URL'] as const) {
  it(`values are exact and transactions see each other despite settings of ${place}`, async (t) => {
    const database = openDatabase(await withForeignSettings(place), 1)
    t.after(() => database.close())
    assert.deepEqual(await database.query(VALUES, [[null]]), [
      {
        bytes: Buffer.from([0x00, 0x41]),
        sum: 0.1 + 0.2,
        isNull: true,
        isolation: 'read committed',
        plans: 'force_custom_plan',
      },
    ])
  })
}

async function withForeignSettings(place: 'the database' | 'the URL'): Promise<string> {
  const url = await emptyDatabase()
  const settings = Object.entries(FOREIGN)
  if (place === 'the URL') {
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    return `${url}?options=${encodeURIComponent(options)}`
  }
  const name = new URL(url).pathname.slice(1)
  for (const [setting, value] of settings) {
    await askPostgres(url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  }
  return url
}
