import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pullHelp, readPullOptions, UsageError } from './pull-options.ts'

const URL = 'https://fleet.example.com'
const LEAST = ['--url', URL, '--api-key-file', 'key.txt', '--out', 'fleet']

describe('The options of pull', () => {
  it('are few that one has to give', () => {
    assert.deepEqual(readPullOptions(LEAST, {}), {
      url: URL,
      key: { file: 'key.txt' },
      out: 'fleet',
      format: 'ndjson',
      csvForm: 'guarded',
      objects: undefined,
      from: 0,
      to: undefined,
      lateMs: 259_200_000,
      pageSize: undefined,
      spanMs: undefined,
      json: false,
    })
  })

  it('are all environment variables as well, which the command line overrides', () => {
    const env = {
      FLEETGATE_URL: URL,
      FLEETGATE_API_KEY: 'fg_live_x',
      FLEETGATE_OUT: 'fleet',
      FLEETGATE_FORMAT: 'csv',
      FLEETGATE_RAW: '1',
      FLEETGATE_OBJECTS: '3, 5,3',
      FLEETGATE_FROM: '2026-01-01',
      FLEETGATE_TO: '2026-01-01',
      FLEETGATE_LATE: '12h',
      FLEETGATE_PAGE_SIZE: '1000',
      FLEETGATE_SPAN: '31d',
      FLEETGATE_JSON: 'yes',
    }
    const read = {
      url: URL,
      key: { value: 'fg_live_x' },
      out: 'fleet',
      format: 'csv',
      csvForm: 'raw',
      objects: [3, 5],
      from: Date.parse('2026-01-01T00:00Z'),
      to: Date.parse('2026-01-01T23:59:59.999Z'),
      lateMs: 43_200_000,
      pageSize: 1000,
      spanMs: 2_678_400_000,
      json: true,
    }
    assert.deepEqual(readPullOptions([], env), read)
    const args = ['--objects', '7', '--api-key-file', 'key.txt']
    const overridden = { ...read, objects: [7], key: { file: 'key.txt' } }
    assert.deepEqual(readPullOptions(args, env), overridden)
    for (const name of [...Object.keys(env), 'FLEETGATE_EXCEL'])
      assert.match(pullHelp('x'), new RegExp(`env: ${name}\\)`))
    const unset = { ...env, FLEETGATE_JSON: '0', FLEETGATE_LATE: '' }
    assert.deepEqual(readPullOptions([], unset), { ...read, json: false, lateMs: 259_200_000 })
  })

  it('are refused with a sentence that says what would be right', () => {
    const wrong: [string[], RegExp][] = [
      [['--url', 'fleet'], /^--url is 'fleet' but must be an address/],
      [['--url', 'http:me:pw@fleet?k=1'], /^--url is 'http:fleet' but must be an address/],
      [['--url', 'me:pw@fleet'], /^--url is 'fleet' but must be an address/],
      [['--out', ''], /^--out is '' but must be a folder/],
      [['--objects', ''], /^--objects is '' but must be ids/],
      [['--format', 'xml'], /--format is 'xml' but must be ndjson, csv, geojson$/],
      [['--objects', '3;5'], /--objects is '3;5' but must be ids separated by commas/],
      [['--from', '2026-02-30'], /--from is '2026-02-30' but must be a date or an ISO 8601 time/],
      [['--from', '2026-02-02', '--to', '2026-02-01'], /^--to is before --from$/],
      [['--late', '3'], /--late is '3' but must be a time span/],
      [['--span', '0'], /--span is '0'/],
      [['--page-size', '0'], /--page-size is '0'/],
      [['--api-key', 'fg_live_x'], /^--api-key and --api-key-file are given/],
      [['--excel'], /^--excel is for --format csv: the other formats hold texts as they are$/],
      [['--format', 'csv', '--raw', '--excel'], /^--raw and --excel are given/],
      [['--nope'], /^Unknown option '--nope'; see --help$/],
      [['stray'], /^Unexpected argument 'stray'/],
    ]
    for (const [args, message] of wrong) {
      assert.throws(
        () => readPullOptions([...LEAST, ...args], {}),
        (error) => {
          assert.ok(error instanceof UsageError)
          assert.match(error.message, message)
          return true
        },
      )
    }
    assert.throws(() => readPullOptions(LEAST, { FLEETGATE_JSON: 'maybe' }), /--json is 'maybe'/)
    assert.throws(() => readPullOptions(LEAST.slice(2), {}), /^UsageError: --url is missing/)
    assert.throws(() => readPullOptions(['--url', URL, '--out', '.'], {}), /the key is missing/)
  })
})

describe('The help of pull', () => {
  it('bears the name of the program, fits a screen, and comes without anything else', () => {
    assert.equal(readPullOptions(['--help'], {}), 'help')
    const help = pullHelp('fleetgate pull')
    assert.match(help, /^Usage: fleetgate pull \[options\]\n/)
    assert.match(help, /Examples:\n {2}fleetgate pull --url/)
    const [options] = help.split('Examples:')
    for (const line of options!.split('\n')) assert.ok(line.length <= 104, line)
  })
})
