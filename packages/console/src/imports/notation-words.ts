import type { TablePart } from './file-options.ts'

/** The values of each part of a notation, in words. */
export const NOTATION_WORDS: Record<TablePart, Readonly<Record<string, string>>> = {
  encoding: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16 (Excel’s Unicode Text)',
    'utf-16be': 'UTF-16, big endian',
    'windows-1252': 'Western Europe (Windows-1252)',
    'windows-1250': 'Central Europe (Windows-1250)',
    'iso-8859-2': 'Central Europe (ISO 8859-2)',
    'windows-1251': 'Cyrillic (Windows-1251)',
    'windows-1253': 'Greek (Windows-1253)',
    'windows-1254': 'Turkish (Windows-1254)',
  },
  delimiter: { ',': 'commas', ';': 'semicolons', tab: 'tabs', '|': 'vertical bars' },
  decimal: { '.': 'decimal point', ',': 'decimal comma' },
  dates: { DMY: 'day first', MDY: 'month first', YMD: 'year first' },
}

/** The heading of each part. */
export const NOTATION_TITLES: Record<TablePart, string> = {
  encoding: 'Encoding',
  delimiter: 'Columns are separated by',
  decimal: 'Numbers have a',
  dates: 'Dates have the',
}
