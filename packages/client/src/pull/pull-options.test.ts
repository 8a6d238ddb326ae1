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
      [[], /^--out \(or FLEETGATE_OUT\) is required/],
      [['--to', database, '--out', 'x'], /^use one of --out or --to/],
      [['--to', database, '--format', 'csv'], /^--format requires --out/],
      [['--to', 'mysql://me:pw@db/x?k=1'], /^--to must be postgres:.*, not 'mysql:\/\/db\/x'/],
    ]
    for (const [args, message] of wrong) {
      assert.throws(() => readPullOptions([...where, ...args], {}), { message })
    }
  })

  it('are rejected with a sentence that describes the valid values', () => {
    const wrong: [string[], RegExp][] = [
      [['--url', 'fleet'], /^--url must be a URL such as .*, not 'fleet'/],
      [['--url', 'http:me:pw@fleet?k=1'], /^--url must be a URL such as .*, not 'http:fleet'/],
      [['--url', 'me:pw@fleet'], /^--url must be a URL such as .*, not 'fleet'/],
      [['--out', ''], /^--out must be a folder, not ''/],
      [['--attributes', 'fuel,'], /^--attributes must be names separated by .*, not 'fuel,'/],
      [['--objects', ''], /^--objects must be up to .*, not ''/],
      [
        ['--format', 'xml'],
        /--format must be one of ndjson, csv, xlsx, geojson, parquet, not 'xml'$/,
      ],
      [['--objects', '3;5'], /--objects must be up to 1,000 ids.*, not '3;5'/],
      [['--api-key', 'fg_live_x'], /^use one of --api-key or --api-key-file/],
      [['--raw'], /^--raw requires --format csv: the other formats keep texts as they are$/],
      [
        ['--format', 'csv', '--excel'],
        /^--excel cannot be combined with --format csv: it means --format/,
      ],
      [['--format', 'csv', '--tz', 'UTC'], /^--tz requires --format xlsx: the other formats have/],
      [
        ['--excel', '--tz', 'Middle/Earth'],
        /^--tz must be a time zone such as .*, not 'Middle\/Earth'/,
      ],
      [['--once', '--follow'], /^use one of --once or --follow$/],
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
    assert.throws(
      () => readPullOptions(REQUIRED, { FLEETGATE_JSON: 'maybe' }),
      /--json must be .*, not 'maybe'/,
    )
    const following = ['verify', ...REQUIRED, '--follow']
    assert.throws(() => readPullOptions(following, {}), /verify cannot be combined with --follow/)
    assert.throws(
      () => readPullOptions(REQUIRED.slice(2), {}),
      /^UsageError: --url \(or FLEETGATE_URL\) is required/,
    )
    assert.throws(() => readPullOptions(['--url', URL, '--out', '.'], {}), /an API key is required/)
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
