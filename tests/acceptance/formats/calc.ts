import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * LibreOffice Calc in the language of a country, which opens a file as a person does, and says what its cells are.
 */

/** A cell: `text`, or a `number` with the form of a date or without it. */
export type CalcCell = { kind: 'empty' | 'text' | 'number' | 'date'; value: number; shown: string }

const MACRO = `
Sub OpenBook(source, questions, target)
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  book = StarDesktop.loadComponentFromURL(ConvertToURL(source), "_blank", 0, hidden())
  results = FreeFile
  Open target For Output As #results
  sheet = book.Sheets.getByIndex(0)
  cursor = sheet.createCursor()
  cursor.gotoEndOfUsedArea(False)
  For r = 0 To cursor.RangeAddress.EndRow
    For c = 0 To cursor.RangeAddress.EndColumn
      Print #results, CellText(book, sheet.getCellByPosition(c, r), r)
    Next c
  Next r
  book.Sheets.insertNewByName("questions", 1)
  asking = FreeFile
  Open questions For Input As #asking
  Do While Not EOF(asking)
    Line Input #asking, formula
    cell = book.Sheets.getByIndex(1).getCellByPosition(0, 0)
    cell.setFormula(formula)
    Print #results, CellText(book, cell, -1)
  Loop
  Close #results
  Close #asking
  book.close(True)
  StarDesktop.terminate()
End Sub

Function CellText(book, cell, row)
  kind = "number"
  If cell.Type = com.sun.star.table.CellContentType.EMPTY Then kind = "empty"
  If cell.Type = com.sun.star.table.CellContentType.TEXT Then kind = "text"
  If kind = "number" And (book.NumberFormats.getByKey(cell.NumberFormat).Type And 2) > 0 Then kind = "date"
  CellText = row & Chr(9) & kind & Chr(9) & Trim(Str(cell.Value)) & Chr(9) & cell.String
End Function
`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The module that a new profile has, with the macro. */
const MODULE = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">${escaped(MACRO)}</script:module>`

const localeIn = (locale: string) => `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item></oor:items>`

function start(profile: string, ...args: string[]): void {
  const options = [`-env:UserInstallation=file://${profile}`, '--headless', '--norestore']
  execFileSync('soffice', [...options, ...args], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    timeout: 120_000,
    stdio: 'ignore',
  })
}

/** A profile in the language of a country, with the macro. */
function profileIn(folder: string, locale: string): string {
  const profile = join(folder, `profile-${locale}`)
  if (existsSync(profile)) return profile
  mkdirSync(join(profile, 'user'), { recursive: true })
  writeFileSync(join(profile, 'user/registrymodifications.xcu'), localeIn(locale))
  start(profile, '--terminate_after_init')
  writeFileSync(join(profile, 'user/basic/Standard/Module1.xba'), MODULE)
  return profile
}

/** Opens a file in Calc. The cells of its first sheet, by rows, and the answers to formulas. */
export function openInCalc(folder: string, locale: string, file: string, formulas: string[] = []) {
  const profile = profileIn(folder, locale)
  const [questions, target] = [join(folder, 'questions'), join(folder, `calc-${locale}`)]
  writeFileSync(questions, formulas.map((each) => `${each}\n`).join(''))
  start(profile, `macro:///Standard.Module1.OpenBook("${file}","${questions}","${target}")`)
  const rows: CalcCell[][] = []
  const answers: CalcCell[] = []
  for (const line of readFileSync(target, 'utf8').trimEnd().split('\n')) {
    const [row, kind, value, ...shown] = line.split('\t')
    const cell = { kind, value: Number(value), shown: shown.join('\t') } as CalcCell
    if (row === '-1') answers.push(cell)
    else {
      rows[Number(row)] ??= []
      rows[Number(row)]!.push(cell)
    }
  }
  return { rows, answers }
}
