import type { ReactNode } from 'react'
import { t } from '../../language/text.ts'
import { CheckField, optionsOf, SelectField } from './Field.tsx'
import './ChosenFields.css'

const ALL_OR_SOME: ['all' | 'some', string][] = [
  ['all', t('All')],
  ['some', t('Selected…')],
]

type AllOrSomeProps<Chosen> = {
  label: string
  name: string
  help?: string | undefined
  fault: string | false | undefined
  /** Null: all. */
  chosen: readonly Chosen[] | null
  onChange: (chosen: Chosen[] | null) => void
  /** The field for the choice of some. */
  children: (chosen: readonly Chosen[]) => ReactNode
}

/** A limit to chosen things. It differs from no limit, even if all are chosen. */
export function AllOrSome<Chosen>(props: AllOrSomeProps<Chosen>) {
  const { chosen, onChange, children, ...field } = props
  return (
    <>
      <SelectField
        {...field}
        options={ALL_OR_SOME}
        value={chosen === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : [])}
      />
      {chosen !== null && children(chosen)}
    </>
  )
}

type AllOrSomeValuesProps<Value extends string> = Omit<AllOrSomeProps<Value>, 'children'> & {
  /** For screen readers: the name of the values. */
  legend: string
  labels: Record<Value, string>
}

/** A limit to chosen ones of some values. */
export function AllOrSomeValues<Value extends string>(props: AllOrSomeValuesProps<Value>) {
  const { legend, labels, onChange, ...field } = props
  return (
    <AllOrSome {...field} onChange={onChange}>
      {(chosen) => (
        <ChosenFields
          legend={legend}
          isLegendHidden
          className="chosen-fields"
          labels={labels}
          chosen={chosen}
          onChange={onChange}
        />
      )}
    </AllOrSome>
  )
}

type ChosenFieldsProps<Value extends string> = {
  legend: string
  /** Whether only screen readers say the legend, because another field has it. */
  isLegendHidden?: boolean
  className?: string
  labels: Record<Value, string>
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
}

/** A check field for each of some values, of which any may be chosen. */
export function ChosenFields<Value extends string>(props: ChosenFieldsProps<Value>) {
  const { legend, isLegendHidden, className = 'stack-small', labels, chosen, onChange } = props
  return (
    <fieldset className={className}>
      <legend className={isLegendHidden ? 'visually-hidden' : undefined}>{legend}</legend>
      {optionsOf(labels).map(([value, label]) => (
        <CheckField
          key={value}
          label={label}
          value={chosen.includes(value)}
          onChange={(isChosen) => {
            const others = chosen.filter((each) => each !== value)
            onChange(isChosen ? [...others, value] : others)
          }}
        />
      ))}
    </fieldset>
  )
}
