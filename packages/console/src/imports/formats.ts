import {
  COLUMN_FORMATS,
  endingsOf,
  formatAmong,
  formatsFor,
  IMPORT_KINDS,
  type ImportKind,
} from '../../../server/src/base/domain/import-formats.ts'
import { t } from '../language/text.ts'

/** The texts of buttons and titles. */
export const IMPORTS: Record<ImportKind, string> = {
  objects: t('Import objects'),
  positions: t('Import positions'),
  geofences: t('Import geofences'),
  routes: t('Import routes'),
  sites: t('Import sites'),
}

/** The contents of files, in lists. */
export const CONTENTS: Record<ImportKind, string> = {
  objects: t('objects'),
  positions: t('positions'),
  geofences: t('geofences'),
  routes: t('routes'),
  sites: t('sites'),
}

/** The endings of the files that an import takes, such as `.csv`. */
export function fileEndings(kind: ImportKind): string[] {
  return endingsOf(formatsFor(kind)).map((ending) => `.${ending}`)
}

/** The endings that any import takes: a file for another import is offered to it. */
export const ENDINGS = [...new Set([...IMPORT_KINDS.flatMap(fileEndings), '.gz'])]

/** Whether positions come from columns, or from members of objects, that the operator can choose. */
export function hasColumns(name: string): boolean {
  const ending = unpackedName(name).split('.').at(-1)!
  return formatAmong(COLUMN_FORMATS, ending) !== undefined
}

function unpackedName(name: string): string {
  return name.toLowerCase().replace(/\.gz$/, '')
}

/** The imports that take files with such a name. */
export function kindsFor(name: string): ImportKind[] {
  const unpacked = unpackedName(name)
  return IMPORT_KINDS.filter((kind) =>
    fileEndings(kind).some((ending) => unpacked.endsWith(ending)),
  )
}

/** Why no import takes a file with such a name. */
export function unfitFile(name: string): string {
  const isWorkbook = /\.(?:xlsx?|xlsm|ods|numbers)$/i.test(name)
  return isWorkbook
    ? t('{{name}} is a workbook. Save its sheet as CSV, and choose that file.', { name })
    : t('Unsupported file type: {{name}}. Supported: {{value}}.', {
        name,
        value: ENDINGS.join(', '),
      })
}
