import { ADMINISTRATORS, organizationOf } from '../../../acts/act.ts'
import { IMPORT_PREVIEW, IMPORT_SUMMARY, previewDocument } from '../../../acts/imports.ts'
import { invalid } from '../../../acts/refused.ts'
import { formatOfType, POSITION_FORMATS } from '../../../base/domain/import-formats.ts'
import { ACCURACY_RULES, OBJECT_RULES } from '../../../base/domain/monitored-object.ts'
import { breach, type Rule } from '../../../base/domain/setting-rule.ts'
import { importPositions, type PositionOptions } from '../../../work/import/import-positions.ts'
import { formatOf } from '../../../work/import/other-kind.ts'
import { POSITION_ESSENTIALS, POSITION_FIELDS } from '../../../work/import/position-row.ts'
import { previewPositions } from '../../../work/import/preview.ts'
import {
  LENGTH_UNITS,
  type LengthUnit,
  SPEED_UNITS,
  type SpeedUnit,
} from '../../../work/import/tables/cells.ts'
import { type AdminOperation, type Call, operations } from '../admin-api.ts'
import { FILE_QUERY, importUpload, inParameters, progressOf, tableOptionsIn } from './imports.ts'

const speedUnits = Object.keys(SPEED_UNITS)
const lengthUnits = Object.keys(LENGTH_UNITS)

const QUERY: NonNullable<AdminOperation['query']> = {
  ...FILE_QUERY,
  attribute: {
    schema: { type: 'string' },
    description:
      'The columns that are attributes: `name` or `name=column`, separated by commas. Values are kept under the names.',
  },
  ident: {
    schema: { type: 'string' },
    description: 'The object of every row, whatever the file says.',
  },
  timezone: {
    schema: { type: 'string' },
    description:
      'The time zone of times without an offset. Default: each object’s `device_timezone`, in GPX and KML UTC.',
  },
  speed_unit: {
    schema: { type: 'string', enum: speedUnits },
    description:
      'The unit of speed in the file. Default: that of its format, which is `kmh` in CSV and NDJSON.',
  },
  distance_unit: {
    schema: { type: 'string', enum: lengthUnits },
    description: 'The unit of the odometer in the file. Default: the organization’s.',
  },
  create_objects: {
    schema: { type: 'boolean' },
    description: 'Whether an unknown ident creates an object. Default: false.',
  },
}

export const POSITION_IMPORTS = operations('Objects', [
  {
    id: 'importPositions',
    method: 'POST',
    path: '/organizations/{organization}/import/positions',
    who: ADMINISTRATORS,
    summary:
      'Import positions from a file: CSV, NDJSON, GPX, KML, GeoJSON, or an export of OwnTracks or Google',
    query: QUERY,
    takes: 'file',
    status: 200,
    answers: IMPORT_SUMMARY,
    run: (call) =>
      importUpload(call, async (source) => {
        const organization = await organizationOf(call)
        const options = optionsOf(call, source.name)
        return importPositions(call.store, organization, source, options, progressOf(call, source))
      }),
  },
  {
    id: 'previewImport',
    method: 'POST',
    path: '/organizations/{organization}/import/positions/preview',
    who: ADMINISTRATORS,
    summary:
      'How the first 100 rows of a file of positions would be read. The head of the file is enough; nothing is written',
    query: QUERY,
    takes: 'file',
    status: 200,
    answers: IMPORT_PREVIEW,
    run: (call) =>
      importUpload(call, async (source) => {
        const organization = await organizationOf(call)
        const options = optionsOf(call, source.name)
        const preview = await previewPositions(call.store, organization, source, options)
        return previewDocument(
          source.name,
          POSITION_FIELDS,
          POSITION_ESSENTIALS,
          inParameters(preview),
        )
      }),
  },
])

/** Throws `Refused` or `ImportMisuse`. */
function optionsOf({ query, contentType, api, signal }: Call, name: string): PositionOptions {
  const createObjects = query.get('create_objects') ?? 'false'
  if (createObjects !== 'true' && createObjects !== 'false') {
    throw invalid({ field: 'create_objects', rule: 'must be true or false' })
  }
  return {
    format: formatOfType(POSITION_FORMATS, contentType) ?? formatOf(name, POSITION_FORMATS),
    ...tableOptionsIn(query, POSITION_FIELDS, query.get('attribute')),
    ident: textIn(query, 'ident', OBJECT_RULES.ident),
    timezone: textIn(query, 'timezone', ACCURACY_RULES.deviceTimezone),
    speedUnit: choiceIn(query, 'speed_unit', speedUnits) as SpeedUnit | null,
    distanceUnit: choiceIn(query, 'distance_unit', lengthUnits) as LengthUnit | null,
    createObjects: createObjects === 'true',
    clock: api.clock,
    signal,
  }
}

function textIn(query: URLSearchParams, field: string, rule: Rule): string | null {
  const value = query.get(field)
  if (value !== null && !rule.holds(value)) throw invalid({ field, rule: breach(rule, value) })
  return value
}

function choiceIn(query: URLSearchParams, field: string, choices: string[]): string | null {
  const value = query.get(field)
  if (value !== null && !choices.includes(value)) {
    throw invalid({ field, rule: `must be one of ${choices.join(', ')}` })
  }
  return value
}
