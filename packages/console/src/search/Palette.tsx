import { useDeferredValue, useEffect, useState } from 'react'
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Keyboard,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
} from 'react-aria-components'
import { flushSync } from 'react-dom'
import { useLocation } from 'wouter'
import { t } from '../language/text.ts'
import { Overlay } from '../ui/dialog/Overlay.tsx'
import { Icon } from '../ui/Icon.tsx'
import { matcher } from '../ui/match.ts'
import { type Found, type FoundGroup, MAX_FOUND } from './found.ts'
import { useOrganizationsFound, usePeopleFound, usePlacesFound, useVehicles } from './use-found.ts'
import '../ui/dialog/Dialog.css'
import '../ui/Menu.css'
import './Palette.css'

type PaletteProps = {
  /** The letters that were typed while it was loaded. */
  begun: string
  /** Null: no organization is shown. */
  organization: number | null
  pages: Found[]
  /** Whether the person may see the people here. */
  oversees: boolean
  hasSeveral: boolean
  onClose: () => void
}

const ARROW_DOWN = { key: 'ArrowDown', bubbles: true, cancelable: true }

/** Finds vehicles, places, people and pages by a few letters, and leads there. */
export function Palette(props: PaletteProps) {
  const { organization, onClose } = props
  const [typed, setTyped] = useState(props.begun)
  const [, navigate] = useLocation()
  const searched = useDeferredValue(typed.trim())
  const { groups, isReady } = useGroups(props, searched)
  const isCurrent = isReady && searched === typed.trim()
  /** Enter was pressed before the results of what is typed had come. */
  const [pressed, setPressed] = useState<{ isOnMap: boolean }>()
  const found = new Map(groups.flatMap(({ items }) => items.map((each) => [keyOf(each), each])))

  function go(key: string | undefined, isOnMap: boolean): void {
    const each = key === undefined ? undefined : found.get(key)
    if (each === undefined) return
    onClose()
    navigate((isOnMap ? each.onMap : undefined) ?? each.to)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: as soon as the results have come
  useEffect(() => {
    if (pressed !== undefined && isCurrent) go(found.keys().next().value, pressed.isOnMap)
  }, [pressed, isCurrent])

  /** Enter opens the first result until another one is chosen. With Ctrl it leads to a vehicle on the map. */
  function onKeyDown(event: React.KeyboardEvent): void {
    const input = event.currentTarget.querySelector('input')!
    const id = input.getAttribute('aria-activedescendant')
    const chosen = document.getElementById(id ?? '')?.dataset.key
    if (event.key === 'ArrowDown' && chosen === undefined && event.isTrusted) {
      // The first result is marked already, so the key leads to the second.
      flushSync(() => input.dispatchEvent(new KeyboardEvent('keydown', ARROW_DOWN)))
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    const isOnMap = event.ctrlKey || event.metaKey
    if (isCurrent) go(chosen ?? found.keys().next().value, isOnMap)
    else setPressed({ isOnMap })
  }

  return (
    <Overlay className="overlay palette-overlay" box="modal palette" onClose={onClose}>
      <Dialog aria-label={t('Search')} className="palette-dialog">
        <div onKeyDownCapture={onKeyDown}>
          <Autocomplete
            disableAutoFocusFirst
            inputValue={typed}
            onInputChange={(text) => {
              setTyped(text)
              setPressed(undefined)
            }}
          >
            <SearchField aria-label={t('Search')} autoFocus className="palette-field">
              <Icon name="search" size={18} />
              <Input placeholder={t('Vehicles, places, people, pages')} />
            </SearchField>
            <Menu
              aria-label={t('Results')}
              className="palette-results"
              onAction={(key) => go(String(key), false)}
              renderEmptyState={() => <p className="palette-empty">{t('No results')}</p>}
            >
              {groups.map((group) => (
                <Group key={group.name} group={group} />
              ))}
            </Menu>
          </Autocomplete>
        </div>
        <p className="palette-foot">
          <span>
            <Keyboard>↑↓</Keyboard> {t('Choose')}
          </span>
          <span>
            <Keyboard>↵</Keyboard> {t('Open')}
          </span>
          {organization !== null && (
            <span>
              <Keyboard>Ctrl ↵</Keyboard> {t('Show on map')}
            </span>
          )}
        </p>
      </Dialog>
    </Overlay>
  )
}

function Group({ group: { name, items } }: { group: FoundGroup }) {
  return (
    <MenuSection>
      <Header className="menu-head">{name}</Header>
      {items.map((each) => (
        <MenuItem
          key={keyOf(each)}
          id={keyOf(each)}
          textValue={`${each.name} ${each.detail ?? ''}`}
          className="menu-item palette-item"
        >
          <Icon name={each.icon} />
          <span className="palette-name">{each.name}</span>
          {each.detail !== undefined && <span className="palette-detail">{each.detail}</span>}
        </MenuItem>
      ))}
    </MenuSection>
  )
}

function useGroups(props: PaletteProps, typed: string) {
  const { organization, pages, oversees, hasSeveral } = props
  const matches = matcher(typed)
  const ofPages = pages.filter(({ name, detail = '' }) => matches(`${name} ${detail}`))
  const groups: FoundGroup[] = [
    useVehicles(organization, typed),
    {
      name: t('Pages'),
      items: typed === '' ? ofPages : ofPages.slice(0, MAX_FOUND),
      isReady: true,
    },
    usePlacesFound(organization, typed),
    usePeopleFound(organization, typed, oversees),
    useOrganizationsFound(organization, typed, hasSeveral),
  ]
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isReady: groups.every(({ isReady }) => isReady),
  }
}

/** Several people are on one page. */
function keyOf({ to, name, detail }: Found): string {
  return [to, name, detail].join('\n')
}
