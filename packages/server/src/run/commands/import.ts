import type { Command } from 'commander'
import {
  type CatalogueFormat,
  catalogueFormats,
  POSITION_FORMATS,
  type PositionFormat,
} from '../../base/domain/import-formats.ts'
import { ITEM_TOPICS, type ItemTopic } from '../../base/domain/items.ts'
import { ACCURACY_RULES } from '../../base/domain/monitored-object.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import {
  CATALOGUE_FIELDS,
  type CatalogueOptions,
  importCatalogue,
} from '../../work/import/import-catalogue.ts'
import { importPositions } from '../../work/import/import-positions.ts'
import { formatOf } from '../../work/import/other-kind.ts'
import { POSITION_FIELDS } from '../../work/import/position-row.ts'
import { previewCatalogue, previewPositions } from '../../work/import/preview.ts'
import { ImportMisuse } from '../../work/import/row.ts'
import type { Source } from '../../work/import/source.ts'
import {
  LENGTH_UNITS,
  type LengthUnit,
  SPEED_UNITS,
  type SpeedUnit,
} from '../../work/import/tables/cells.ts'
import { attributeFieldsIn, type Field, mappingOf } from '../../work/import/tables/columns.ts'
import { NOTATION_OPTIONS, notationOf } from '../../work/import/tables/find-notation.ts'
import { NOTATION_PARTS, type NotationPart } from '../../work/import/tables/notation.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { type OwnerOptions, ownerOption, settingReader } from '../options.ts'
import { quietOption } from '../terminal.ts'
import { importAll, previewAll } from './import-files.ts'
import { savedMappingCommands } from './saved-mappings.ts'

type ImportOptions<Format> = OwnerOptions & {
  format?: Format
  map?: string
  distanceUnit?: LengthUnit
  preview?: boolean
  quiet?: boolean
} & { [Part in NotationPart]?: string }

type PositionImportOptions = ImportOptions<PositionFormat> & {
  speedUnit?: SpeedUnit
  ident?: string
  timezone?: string
  createObjects?: boolean
  attribute?: string
}

export function importCommands(description: string): Command {
  return group('import', description, [
    positionsCommand(),
    ...ITEM_TOPICS.map(catalogueCommand),
    ...savedMappingCommands(),
  ])
}

function positionsCommand(): Command {
  return importing(
    command('positions', 'import positions; rows that exist already change nothing', [
      'import positions --org 1 positions.csv',
      'import positions --org 1 --map ident=bus,time_device=when --speed-unit mps --create-objects 2017-03-16.csv',
      'import positions --org 1 --preview --map latitude=lat positions.csv',
      'import positions --org 1 --ident 356307042441013 track.gpx',
      'import positions --org 1 --ident phone-1 --create-objects Timeline.json',
      'import positions --org 1 rec/ann/phone/2024-05.rec',
      'import positions --org 1 --format ndjson - <positions.ndjson',
    ]),
    POSITION_FORMATS,
  )
    .addOption(
      option(
        '--speed-unit <unit>',
        "the file's unit of speed (default: the format's, which is kmh in CSV and NDJSON)",
      ).choices(Object.keys(SPEED_UNITS)),
    )
    .addOption(distanceUnitOption())
    .addOption(
      option(
        '--timezone <zone>',
        "the time zone of times without an offset (default: each object's device_timezone, in GPX and KML UTC)",
      ).argParser(settingReader(ACCURACY_RULES.deviceTimezone)),
    )
    .addOption(
      option(
        '--ident <ident>',
        'the ident of the object of every row, whatever idents the file has',
      ),
    )
    .addOption(option('--create-objects', 'create an object for each ident that is not known'))
    .addOption(
      option(
        '--attribute <name[=column]>',
        'a column that is an attribute, such as fuel or driver; several times, or separated by commas',
      ).argParser(withCommas),
    )
    .addHelpText('after', fieldsHelp(POSITION_FIELDS))
    .action(onStore(positions))
}

function catalogueCommand(kind: ItemTopic): Command {
  const isPlace = kind !== 'objects'
  const made = importing(
    command(
      kind,
      `import ${kind}; matched by id, else by ${isPlace ? 'name' : 'ident'}, and updated`,
      [`import ${kind} --org 1 ${kind}.${isPlace ? 'geojson' : 'csv'}`],
    ),
    catalogueFormats(kind),
  )
  if (!isPlace) made.addOption(distanceUnitOption())
  return made
    .addHelpText('after', fieldsHelp(CATALOGUE_FIELDS[kind]))
    .action(
      onStore((store: Store, options: ImportOptions<CatalogueFormat>, files: string[]) =>
        catalogue(kind, store, options, files),
      ),
    )
}

function importing(made: Command, formats: readonly string[]): Command {
  const taking = made
    .argument('<file...>', "files, gzip'd ones (.gz) too; - is the standard input")
    .addOption(ownerOption())
    .addOption(
      option('--format <format>', 'what the files are (default: by their ending)').choices(formats),
    )
    .addOption(option('--map <field=column,...>', 'the columns of fields').argParser(withCommas))
    .addOption(
      option('--preview', 'show how columns and first rows would be read, and import nothing'),
    )
    .addOption(quietOption())
    .addHelpText(
      'after',
      'The summary accounts for everything in the files. The exit code is 0 only if everything was imported.',
    )
  for (const part of NOTATION_PARTS) taking.addOption(notationOption(part))
  return taking
}

/** An option that may be given several times. */
function withCommas(written: string, before: string | undefined): string {
  return before === undefined ? written : `${before},${written}`
}

function notationOption(part: NotationPart) {
  const { choices, about } = NOTATION_OPTIONS[part]
  const made = option(`--${part} <${part}>`, `${about} (default: detected in the file)`)
  return choices === null ? made : made.choices([...choices])
}

function distanceUnitOption() {
  return option(
    '--distance-unit <unit>',
    "the file's unit of odometer and mileage (default: the organization's)",
  ).choices(Object.keys(LENGTH_UNITS))
}

function fieldsHelp(fields: readonly Field[]): string {
  const lines = fields.map(({ name, synonyms }) =>
    synonyms.length === 0 ? `  ${name}` : `  ${name} (${synonyms.join(', ')})`,
  )
  return `\nFields, with other names of their columns. Usual names in eight languages are recognized too:\n${lines.join('\n')}\n`
}

function positions(
  store: Store,
  options: PositionImportOptions,
  files: string[],
): Promise<CommandResult> {
  const table = tableOptionsOf(options, POSITION_FIELDS, options.attribute ?? null)
  const optionsOf = (source: Source, signal: AbortSignal) => ({
    format: options.format ?? formatOf(source.name, POSITION_FORMATS),
    ...table,
    ident: options.ident ?? null,
    timezone: options.timezone ?? null,
    speedUnit: options.speedUnit ?? null,
    distanceUnit: options.distanceUnit ?? null,
    createObjects: options.createObjects === true,
    clock: systemClock,
    signal,
  })
  if (options.preview === true) {
    const columns = [...POSITION_COLUMNS, ...attributeFieldsIn(table.mapping)]
    return previewAll(store, options, files, columns, (organization, source, signal) =>
      previewPositions(store, organization, source, optionsOf(source, signal)),
    )
  }
  return importAll(store, options, files, 'objects', (organization, source, signal, onProgress) =>
    importPositions(store, organization, source, optionsOf(source, signal), onProgress),
  )
}

function catalogue(
  kind: ItemTopic,
  store: Store,
  options: ImportOptions<CatalogueFormat>,
  files: string[],
): Promise<CommandResult> {
  const table = tableOptionsOf(options, CATALOGUE_FIELDS[kind])
  const optionsOf = (source: Source, signal: AbortSignal): CatalogueOptions => ({
    format: options.format ?? formatOf(source.name, catalogueFormats(kind)),
    ...table,
    distanceUnit: options.distanceUnit ?? null,
    keepsIds: true,
    clock: systemClock,
    signal,
  })
  if (options.preview === true) {
    return previewAll(store, options, files, ITEM_COLUMNS[kind], (organization, source, signal) =>
      previewCatalogue(store, organization, kind, source, optionsOf(source, signal)),
    )
  }
  return importAll(store, options, files, kind, (organization, source, signal, onProgress) =>
    importCatalogue(store, organization, kind, source, optionsOf(source, signal), onProgress),
  )
}

/** The fields that a preview shows. */
const POSITION_COLUMNS = ['ident', 'time_device', 'latitude', 'longitude', 'speed']
const ITEM_COLUMNS: Record<ItemTopic, string[]> = {
  objects: ['ident', 'name', 'plate_number', 'vin'],
  geofences: ['name', 'color'],
  routes: ['name', 'deviation'],
  sites: ['name', 'latitude', 'longitude', 'radius'],
}

function tableOptionsOf(
  options: ImportOptions<string>,
  fields: readonly Field[],
  attributes: string | null = null,
) {
  try {
    return {
      mapping: mappingOf(options.map ?? null, fields, attributes),
      notation: notationOf((part) => options[part] ?? null),
    }
  } catch (error) {
    throw error instanceof ImportMisuse ? new UsageError(error.message) : error
  }
}
