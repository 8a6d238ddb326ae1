import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pullHelp } from './option-texts.ts'
import { readPullOptions } from './pull-options.ts'
import { UsageError } from './usage-error.ts'

const URL = 'https://fleet.example.com'
const REQUIRED = ['--url', URL, '--api-key-file', 'key.txt', '--out', 'fleet']

describe('The options of pull', () => {
  it('have few required ones', () => {
    assert.deepEqual(readPullOptions(REQUIRED, {}), {
      url: URL,
      key: { file: 'key.txt' },
      to: { out: 'fleet', format: 'ndjson', csvForm: 'guarded' },
      objects: undefined,
      attributes: undefined,
      records: false,
      follow: false,
      verify: false,
      json: false,
    })
  })

  it('exist as environment variables as well, which the command line overrides', () => {
    const env = {
      FLEETGATE_URL: URL,
      FLEETGATE_API_KEY: 'fg_live_x',
      FLEETGATE_OUT: 'fleet',
      FLEETGATE_FORMAT: 'csv',
      FLEETGATE_RAW: '1',
      FLEETGATE_OBJECTS: '3, 5,3',
      FLEETGATE_RECORDS: '1',
      FLEETGATE_ATTRIBUTES: 'fuel_level, driver',
      FLEETGATE_FOLLOW: 'on',
      FLEETGATE_JSON: 'yes',
    }
    const read = {
      url: URL,
      key: { value: 'fg_live_x' },
      to: { out: 'fleet', format: 'csv', csvForm: 'raw' },
      objects: [3, 5],
      attributes: ['fuel_level', 'driver'],
      records: true,
      follow: true,
      verify: false,
      json: true,
    }
    assert.deepEqual(readPullOptions([], env), read)
    const args = ['--objects', '7', '--api-key-file', 'key.txt', '--attributes', 'all']
    const overridden = { ...read, objects: [7], key: { file: 'key.txt' }, attributes: 'all' }
    assert.deepEqual(readPullOptions(args, env), overridden)
    for (const name of [...Object.keys(env), 'FLEETGATE_EXCEL', 'FLEETGATE_TO', 'FLEETGATE_ONCE'])
      assert.match(pullHelp('x'), new RegExp(`env: ${name}\\)`))
    const unset = { ...env, FLEETGATE_JSON: '0', FLEETGATE_OBJECTS: '' }
    assert.deepEqual(readPullOptions([], unset), { ...read, json: false, objects: undefined })
  })

  it('make workbooks in a time zone', () => {
    const to = { out: 'fleet', format: 'xlsx', csvForm: 'guarded' }
    const optionsOf = (...args: string[]) => readPullOptions([...REQUIRED, ...args], {}) as object
    for (const args of [['--excel'], ['--format', 'xlsx'], ['--format', 'xlsx', '--excel']]) {
      assert.partialDeepStrictEqual(optionsOf(...args), { to })
    }
    const timeZone = 'Europe/Madrid'
    assert.partialDeepStrictEqual(optionsOf('--excel', '--tz', timeZone), {
      to: { ...to, timeZone },
    })
  })

  it('name a folder or a database', () => {
    const where = ['--url', URL, '--api-key-file', 'key.txt']
    const database = 'postgresql://me:pw@db:5433/fleet?schema=north'
    assert.deepEqual(readPullOptions([...where, '--to', database], {}) as object, {
      ...{ url: URL, key: { file: 'key.txt' }, to: { database } },
      ...{
        objects: undefined,
        attributes: undefined,
        records: false,
        follow: false,
        verify: false,
        json: false,
      },
    })
    const wrong: [string[], RegExp][] = [
      [[], /^--out is missing \(or FLEETGATE_OUT\)/],
      [['--to', database, '--out', 'x'], /^--out and --to are given/],
      [['--to', database, '--format', 'csv'], /^--format is for --out/],
      [['--to', 'mysql://me:pw@db/x?k=1'], /^--to is 'mysql:\/\/db\/x' but must be postgres:/],
    ]
    for (const [args, message] of wrong) {
      assert.throws(() => readPullOptions([...where, ...args], {}), { message })
    }
  })

  it('are rejected with a sentence that describes the valid values', () => {
    const wrong: [string[], RegExp][] = [
      [['--url', 'fleet'], /^--url is 'fleet' but must be an address/],
      [['--url', 'http:me:pw@fleet?k=1'], /^--url is 'http:fleet' but must be an address/],
      [['--url', 'me:pw@fleet'], /^--url is 'fleet' but must be an address/],
      [['--out', ''], /^--out is '' but must be a folder/],
      [['--attributes', 'fuel,'], /^--attributes is 'fuel,' but must be names separated by/],
      [['--objects', ''], /^--objects is '' but must be up to/],
      [['--format', 'xml'], /--format is 'xml' but must be ndjson, csv, xlsx, geojson, parquet$/],
      [['--objects', '3;5'], /--objects is '3;5' but must be up to 1,000 ids/],
      [['--api-key', 'fg_live_x'], /^--api-key and --api-key-file are given/],
      [['--raw'], /^--raw is for --format csv: the other formats hold texts as they are$/],
      [['--format', 'csv', '--excel'], /^--format csv and --excel are given: --excel is --format/],
      [['--format', 'csv', '--tz', 'UTC'], /^--tz is for --format xlsx: the other formats have/],
      [['--excel', '--tz', 'Middle/Earth'], /^--tz is 'Middle\/Earth' but must be a time zone/],
      [['--once', '--follow'], /^--once and --follow are given: choose one$/],
      [['--nope'], /^Unknown option '--nope'; see --help$/],
      [['stray'], /^Unexpected argument 'stray'/],
    ]
    for (const [args, message] of wrong) {
      assert.throws(
        () => readPullOptions([...REQUIRED, ...args], {}),
        (error) => {
          assert.ok(error instanceof UsageError)
          assert.match(error.message, message)
          return true
        },
      )
    }
    assert.throws(() => readPullOptions(REQUIRED, { FLEETGATE_JSON: 'maybe' }), /--json is 'maybe'/)
    const following = ['verify', ...REQUIRED, '--follow']
    assert.throws(() => readPullOptions(following, {}), /verify ends when all is compared/)
    assert.throws(() => readPullOptions(REQUIRED.slice(2), {}), /^UsageError: --url is missing/)
    assert.throws(() => readPullOptions(['--url', URL, '--out', '.'], {}), /the key is missing/)
  })
})

describe('The help of pull', () => {
  it('names the program, fits a screen, and needs no other option', () => {
    assert.equal(readPullOptions(['--help'], {}), 'help')
    const help = pullHelp('fleetgate pull')
    assert.match(help, /^Usage: fleetgate pull \[verify\] \[options\]\n/)
    assert.match(help, /Examples:\n {2}fleetgate pull --url/)
    const [options] = help.split('Examples:')
    for (const line of options!.split('\n')) assert.ok(line.length <= 104, line)
  })
})
