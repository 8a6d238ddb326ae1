import { readFileSync } from 'node:fs'
import type { Option } from 'commander'
import { type Fault, isFault, noRemarks, type Remarks } from '../../import/row.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'

export function geometryOption(shape: string): Option {
  return option('--geometry <file>', `GeoJSON file with the new ${shape}, as it is or as a feature`)
}

/** Reads the single geometry of a GeoJSON file by the rules of imports. */
export function geometryIn<Coordinates extends object>(
  file: string,
  read: (geometry: unknown, remarks: Remarks) => Coordinates | Fault,
): Coordinates {
  const remarks = noRemarks()
  const coordinates = read(geometryOf(parse(file), file), remarks)
  if (isFault(coordinates)) throw new Error(`'${file}': ${coordinates.detail}`)
  return coordinates
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`'${file}' is not JSON: ${error.message}`)
    throw new UsageError(`'${file}' cannot be read: ${(error as Error).message}`)
  }
}

function geometryOf(given: unknown, file: string): unknown {
  const { type, geometry, features } = (given ?? {}) as Record<string, unknown>
  if (type === 'Feature') return geometry
  if (type !== 'FeatureCollection') return given
  if (!Array.isArray(features) || features.length !== 1) {
    throw new Error(`'${file}' must hold one feature, not ${(features as unknown[])?.length ?? 0}`)
  }
  return geometryOf(features[0], file)
}
