import './Filters.css'

type FiltersProps<Choice extends string> = {
  legend: string
  options: readonly (readonly [Choice, string])[]
  value: Choice
  onChange: (choice: Choice) => void
}

/** Buttons of which one is pressed: the part of a list that is shown. */
export function Filters<Choice extends string>(props: FiltersProps<Choice>) {
  const { legend, options, value, onChange } = props
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">{legend}</legend>
      {options.map(([each, name]) => (
        <button
          key={each}
          type="button"
          aria-pressed={value === each}
          onClick={() => onChange(each)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
