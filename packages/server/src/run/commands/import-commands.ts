import type { Command } from 'commander'
import { IMPORT_ACTS } from '../../acts/import-acts.ts'
import { formatsFor, IMPORT_KINDS, type ImportKind } from '../../base/domain/import-formats.ts'
import type { ItemTopic } from '../../base/domain/item-rules.ts'
import type { Store } from '../../engine/store/store.ts'
import { LENGTH_UNITS } from '../../work/import/tables/cells.ts'
import {
  attributeFieldsIn,
  type Field,
  mappingOf,
} from '../../work/import/tables/column-mapping.ts'
import { command, group, onStore, option } from '../command.ts'
import { addParameterOptions, ownerOption } from '../options.ts'
import { quietOption } from '../terminal.ts'
import { type ImportOptions, importAll, previewAll } from './import-files.ts'
import { savedMappingCommands } from './saved-mapping-commands.ts'

export function importCommands(description: string): Command {
  const [positions, ...items] = [...IMPORT_KINDS].reverse()
  return group('import', description, [
    ...[positions!, ...items.reverse()].map(importCommand),
    ...savedMappingCommands(),
  ])
}

const POSITION_EXAMPLES = [
  'import positions --org 1 positions.csv',
  'import positions --org 1 --map ident=bus,time_device=when --speed-unit mps --create-objects 2017-03-16.csv',
  'import positions --org 1 --preview --map latitude=lat positions.csv',
  'import positions --org 1 --ident 356307042441013 track.gpx',
  'import positions --org 1 --ident phone-1 --create-objects Timeline.json',
  'import positions --org 1 rec/ann/phone/2024-05.rec',
  'import positions --org 1 --format ndjson - <positions.ndjson',
]

function importCommand(kind: ImportKind): Command {
  const acts = IMPORT_ACTS[kind]
  const made = importing(commandOf(kind), formatsFor(kind))
  addParameterOptions(made, acts.run.query, ['file', 'map', 'attribute'])
  if (kind === 'objects') made.addOption(distanceUnitOption())
  if (kind === 'positions') made.addOption(attributeOption())
  return made
    .addHelpText('after', fieldsHelp(acts.fields))
    .action(
      onStore((store: Store, options: ImportOptions, files: string[]) =>
        options.preview === true
          ? previewAll(store, acts, options, files, columnsOf(kind, options))
          : importAll(store, acts, options, files, kind === 'positions' ? 'objects' : kind),
      ),
    )
}

function commandOf(kind: ImportKind): Command {
  if (kind === 'positions') {
    const words = 'import positions; rows that already exist are skipped'
    return command(kind, words, POSITION_EXAMPLES)
  }
  const [key, ending] = kind === 'objects' ? ['ident', 'csv'] : ['name', 'geojson']
  const words = `import ${kind}; matched by id, else by ${key}, and updated`
  return command(kind, words, [`import ${kind} --org 1 ${kind}.${ending}`])
}

function importing(made: Command, formats: readonly string[]): Command {
  return made
    .argument('<file...>', 'files, optionally gzipped (.gz); - reads standard input')
    .addOption(ownerOption())
    .addOption(
      option('--format <format>', 'file format (default: from the file extension)').choices(
        formats,
      ),
    )
    .addOption(option('--map <field=column,...>', 'map fields to columns').argParser(withCommas))
    .addOption(
      option('--preview', 'show how columns and first rows would be read, and import nothing'),
    )
    .addOption(quietOption())
    .addHelpText(
      'after',
      'The summary accounts for everything in the files. The exit code is 0 only if everything was imported.',
    )
}

/** An option that may be given several times. */
function withCommas(written: string, before: string | undefined): string {
  return before === undefined ? written : `${before},${written}`
}

function distanceUnitOption() {
  return option(
    '--distance-unit <unit>',
    "the file's unit of odometer and mileage (default: the organization's)",
  ).choices(Object.keys(LENGTH_UNITS))
}

function attributeOption() {
  return option(
    '--attribute <name[=column]>',
    'a column that is an attribute, such as fuel or driver; several times, or separated by commas',
  ).argParser(withCommas)
}

function fieldsHelp(fields: readonly Field[]): string {
  const lines = fields.map(({ name, synonyms }) =>
    synonyms.length === 0 ? `  ${name}` : `  ${name} (${synonyms.join(', ')})`,
  )
  return `\nFields, with alternative column names. Common names in eight languages are also recognized:\n${lines.join('\n')}\n`
}

/** The fields that a preview shows. */
function columnsOf(kind: ImportKind, { attribute }: ImportOptions): string[] {
  if (kind !== 'positions') return ITEM_COLUMNS[kind]
  const attributes = attributeFieldsIn(mappingOf(null, [], attribute ?? null))
  return ['ident', 'time_device', 'latitude', 'longitude', 'speed', ...attributes]
}

const ITEM_COLUMNS: Record<ItemTopic, string[]> = {
  objects: ['ident', 'name', 'plate_number', 'vin'],
  geofences: ['name', 'color'],
  routes: ['name', 'deviation'],
  sites: ['name', 'latitude', 'longitude', 'radius'],
}
