import { useEffect, useRef, useState } from 'react'

/** The width of an element, so that its drawing keeps its proportions. */
export function useWidth<Element_ extends Element>() {
  const ref = useRef<Element_>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    setWidth(element.getBoundingClientRect().width)
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}
