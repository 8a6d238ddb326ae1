import { t } from '../language/text.ts'
import type { TablePart } from './file-options.ts'

/** The values of each part of a notation, in words. */
export const NOTATION_WORDS: Record<TablePart, Readonly<Record<string, string>>> = {
  encoding: {
    'utf-8': 'UTF-8',
    'utf-16le': t('UTF-16 (Excel’s Unicode Text)'),
    'utf-16be': t('UTF-16, big endian'),
    'windows-1252': t('Western Europe (Windows-1252)'),
    'windows-1250': t('Central Europe (Windows-1250)'),
    'iso-8859-2': t('Central Europe (ISO 8859-2)'),
    'windows-1251': t('Cyrillic (Windows-1251)'),
    'windows-1253': t('Greek (Windows-1253)'),
    'windows-1254': t('Turkish (Windows-1254)'),
  },
  delimiter: { ',': t('commas'), ';': t('semicolons'), tab: t('tabs'), '|': t('vertical bars') },
  decimal: { '.': t('decimal point'), ',': t('decimal comma') },
  dates: { DMY: t('day first'), MDY: t('month first'), YMD: t('year first') },
}

/** The heading of each part. */
export const NOTATION_TITLES: Record<TablePart, string> = {
  encoding: t('Encoding'),
  delimiter: t('Column separator'),
  decimal: t('Decimal mark'),
  dates: t('Date order'),
}
