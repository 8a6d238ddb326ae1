type OptionText = { value?: string; text: string }

export const OPTIONS: Record<string, OptionText> = {
  url: { value: '<url>', text: 'where the API is: https://fleet.example.com' },
  'api-key-file': { value: '<file>', text: 'a file that holds the API key' },
  'api-key': {
    value: '<key>',
    text: 'the key itself; others on the machine can read a command line, so prefer the variable or the file',
  },
  out: { value: '<folder>', text: 'where the files are; pull makes the folder if it is missing' },
  to: {
    value: '<database>',
    text: 'in place of --out: tables of PostgreSQL, postgres://user@host/database; ?schema=fleet puts them into a schema',
  },
  format: { value: '<format>', text: 'ndjson, csv, xlsx, geojson or parquet (default: ndjson)' },
  raw: {
    text: 'in CSV, put no apostrophe before texts that a spreadsheet runs as formulas',
  },
  excel: {
    text: 'the same as --format xlsx: workbooks that spreadsheets open right in every country',
  },
  tz: {
    value: '<zone>',
    text: 'in xlsx, the time zone of the times: Europe/Madrid (default: UTC)',
  },
  objects: {
    value: '<ids>',
    text: 'up to 1,000 ids, separated by commas (default: all objects)',
  },
  records: {
    text: 'also copy trips, stops, visits and changes of levels; the server derives them from then on',
  },
  attributes: {
    value: '<names>',
    text: 'also keep these attributes of positions and objects, separated by commas, or all that the key sees: all (default: none)',
  },
  once: { text: 'exit when everything is copied (default)' },
  follow: { text: 'keep running, and copy changes as they happen, until a signal' },
  json: { text: 'print one JSON object, and nothing else, on stdout' },
  help: { text: 'show this' },
}

const COLUMN = 25

/** `--api-key` is `FLEETGATE_API_KEY`. */
export function variableOf(name: string): string {
  return `FLEETGATE_${name.replaceAll('-', '_').toUpperCase()}`
}

/** The help text, with the program's name: `fleetgate pull`, or `fleetgate-pull`. */
export function pullHelp(program: string): string {
  const options = Object.entries(OPTIONS).map(([name, { value, text }]) => {
    const flag = `  --${name}${value === undefined ? '' : ` ${value}`}`
    const variable = name === 'help' ? '' : ` (env: ${variableOf(name)})`
    return `${flag.padEnd(COLUMN)}${wrapped(text + variable)}`
  })
  return `Usage: ${program} [verify] [options]

Keeps a copy of an organization's objects, places and positions: in files, one of positions for each
day, or in a database. Each run brings what has changed since the last one: new, late, corrected and
deleted positions, and the catalogue. After it is stopped or killed, the same command continues.

With verify it also compares the copy with the coverage of the server, day by day, and reads days
again that differ. A day that is read again costs its object one unit of the daily quota.

Options:
${options.join('\n')}

Exit codes: 0 all is there; 1 something is missing, and stderr says what; 2 wrong use.

Examples:
  ${program} --url https://fleet.example.com --api-key-file key.txt --out ./fleet --format parquet
  ${program} --url https://fleet.example.com --to postgres://fleet@db/warehouse --follow
  ${program} verify --url https://fleet.example.com --api-key-file key.txt --out ./fleet
  15 2 * * * FLEETGATE_API_KEY_FILE=/etc/fleet.key ${program} --url https://fleet.example.com --out /srv/fleet
`
}

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(/ (?!FLEETGATE_)/)) {
    const line = lines.at(-1)!
    if (COLUMN + line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(` ${word}`)
  }
  return lines.map((line) => line.slice(1)).join(`\n${' '.repeat(COLUMN)}`)
}
