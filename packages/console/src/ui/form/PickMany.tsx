import { useMemo, useState } from 'react'
import {
  FieldError as AriaError,
  Button,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
} from 'react-aria-components'
import { t } from '../../language/text.ts'
import { Icon } from '../Icon.tsx'
import { matcher } from '../match.ts'
import '../Menu.css'
import './PickMany.css'

/** `detail` distinguishes things of one name. */
/** `ident`: what finds it besides its name, if that is not the detail. */
export type Choice = { key: string; name: string; detail: string; ident?: string }

type PickManyProps = {
  label: string
  placeholder: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Called with what is typed, for choices that are not all there. */
  onType?: (text: string) => void
  error?: string | undefined
}

/** Suggestions at once, of thousands. */
const SUGGESTED = 50

/** Chooses some of very many things by their names. Each chosen one is a tag, which can be removed. */
export function PickMany(props: PickManyProps) {
  const { label, placeholder, choices, chosen, onChange, onType, error } = props
  const [text, setText] = useState('')
  const suggested = useMemo(() => found(choices, text), [choices, text])
  return (
    <div className="pick-many">
      <ComboBox<Choice, 'multiple'>
        className="field"
        selectionMode="multiple"
        items={suggested}
        value={chosen}
        onChange={(keys) => onChange(keys.map(String))}
        onInputChange={(next) => {
          setText(next)
          onType?.(next.trim())
        }}
        menuTrigger="focus"
        allowsEmptyCollection
        isInvalid={error !== undefined}
        validationBehavior="aria"
      >
        <Label>{label}</Label>
        <Input className="input" placeholder={placeholder} spellCheck={false} />
        <AriaError className="field-error">{error}</AriaError>
        <Popover className="popover pick-list">
          <ListBox<Choice> className="menu" renderEmptyState={() => t('No results')}>
            {({ key, name, detail }) => (
              <ListBoxItem id={key} textValue={name} className="menu-item">
                <Icon name="done" />
                <span>
                  {name} <span className="soft small">{detail}</span>
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {chosen.length > 0 && (
        <Chosen label={label} choices={choices} chosen={chosen} onChange={onChange} />
      )}
    </div>
  )
}

function found(choices: readonly Choice[], text: string): Choice[] {
  const fits = matcher(text)
  const matches: Choice[] = []
  for (const choice of choices) {
    if (fits(choice.name, choice.ident ?? choice.detail)) matches.push(choice)
    if (matches.length === SUGGESTED) break
  }
  return matches
}

type ChosenProps = Pick<PickManyProps, 'label' | 'choices' | 'chosen' | 'onChange'>

function Chosen({ label, choices, chosen, onChange }: ChosenProps) {
  const names = useMemo(() => new Map(choices.map(({ key, name }) => [key, name])), [choices])
  return (
    <TagGroup
      aria-label={t('{{label}}, selected', { label })}
      onRemove={(removed) => onChange(chosen.filter((each) => !removed.has(each)))}
    >
      <TagList className="pick-tags">
        {chosen.map((key) => {
          const name = names.get(key) ?? t('No. {{key}}', { key })
          return (
            <Tag key={key} id={key} textValue={name} className="pick-tag">
              {name}
              <Button slot="remove" aria-label={t('Remove {{name}}', { name })}>
                <Icon name="close" size={12} />
              </Button>
            </Tag>
          )
        })}
      </TagList>
    </TagGroup>
  )
}
