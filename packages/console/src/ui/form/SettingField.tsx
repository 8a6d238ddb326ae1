import type { Rule } from '../../../../server/src/base/domain/setting-rule.ts'
import { CheckField, NumberField, SelectField, TextField } from './Field.tsx'

type Value = string | number | boolean | null | undefined

type SettingFieldProps = {
  name: string
  label: string
  rule: Rule
  value: Value
  /** An empty input is null. */
  onChange: (value: never) => void
}

/** The input of a setting that needs no words but its label. Its rule says what it holds. */
export function SettingField({ rule, value, onChange, ...common }: SettingFieldProps) {
  const { type, enum: choices } = rule.schema
  const change = onChange as (value: Value) => void
  if (type === 'boolean') return <CheckField {...common} value={value === true} onChange={change} />
  if (type === 'number' || type === 'integer') {
    return <NumberField {...common} value={(value as number | null) ?? null} onChange={change} />
  }
  const text = String(value ?? '')
  const orNull = (written: string) => change(written === '' && rule.optional ? null : written)
  if (choices === undefined) {
    const plain = { autoComplete: 'off', spellCheck: false } as const
    return <TextField {...common} {...plain} value={text} onChange={orNull} />
  }
  const options = (rule.optional ? ['', ...choices] : choices).map((each) => [each, each] as const)
  return <SelectField {...common} options={options} value={text} onChange={orNull} />
}
