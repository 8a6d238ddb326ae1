import { CheckField, optionsOf } from './Field.tsx'

/** A limit to chosen things differs from none, even if all are chosen. */
export const ALL_OR_SOME: ['all' | 'some', string][] = [
  ['all', 'All'],
  ['some', 'Chosen ones…'],
]

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
