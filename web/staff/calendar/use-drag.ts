import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { beginDrag, type Cell, type Drag, dragTo, toWish } from './drag.ts';
import type { Entry } from './queries.ts';
import { cellAt } from './span.ts';
import type { CalendarContent, Wish } from './walk.ts';

/** Pixels after which a mouse drags. A finger that moves this far before its long press scrolls instead. */
const SLACK_PX = 5;
/** Milliseconds after which a resting finger grabs what is under it. */
const LONG_PRESS_MS = 400;
/** Within this distance from the edges of the visible part, dragging scrolls. */
const EDGE_PX = 36;
const SCROLL_PX = 12;

type Grabbed = { readonly cell: Cell; readonly entry: Entry | null; readonly edge: 'start' | 'end' | null };
type Press = Grabbed & {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly timer: number | undefined;
};

/**
 * Handles drags in the area that the columns fill. A mouse drags at once, a finger after a long press. A click without dragging requests
 * what is at the cell. Elements of entries have `data-entry`, and `data-edge` where dragging changes their length.
 */
export function useDrag(
  area: RefObject<HTMLElement | null>,
  shown: CalendarContent,
  onWish: (wish: Wish, cell: Cell) => void,
) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const press = useRef<Press | null>(null);
  const dragging = useRef<Drag | null>(null);
  const justDragged = useRef(false);
  const follow = (next: Drag | null): void => {
    dragging.current = next;
    setDrag(next);
  };
  const letGo = (): void => {
    clearTimeout(press.current?.timer);
    press.current = null;
    follow(null);
  };
  useEffect(() => holdStill(area.current, () => dragging.current !== null), [area]);
  useEffect(() => () => clearTimeout(press.current?.timer), []);

  function begin(grabbed: Grabbed, pointer: number): void {
    const next = beginDrag(grabbed.cell, grabbed.entry, grabbed.edge, shown);
    if (next === null) return;
    area.current?.setPointerCapture(pointer);
    follow(next);
  }
  const handlers = {
    onPointerDown(event: PointerEvent) {
      justDragged.current = false;
      const grabbed = area.current && event.button === 0 ? grab(area.current, event, shown) : null;
      if (grabbed === null || press.current !== null) return;
      const { pointerId: id, clientX: x, clientY: y } = event;
      const timer =
        event.pointerType === 'touch' ? window.setTimeout(() => begin(grabbed, id), LONG_PRESS_MS) : undefined;
      press.current = { ...grabbed, id, x, y, timer };
    },
    onPointerMove(event: PointerEvent) {
      const from = press.current;
      const at = area.current;
      if (from === null || at === null || event.pointerId !== from.id) return;
      if (dragging.current !== null) {
        scrollAtEdge(at, event.clientY);
        return follow(dragTo(dragging.current, getCell(at, event, shown), shown));
      }
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < SLACK_PX) return;
      if (event.pointerType === 'touch') return letGo();
      begin(from, event.pointerId);
    },
    onPointerUp() {
      const done = dragging.current;
      letGo();
      if (done === null) return;
      justDragged.current = true;
      const wish = toWish(done, shown);
      if (wish !== null) onWish(wish, done.from);
    },
    onPointerCancel: letGo,
    onClick(event: MouseEvent) {
      if (justDragged.current || !area.current) return;
      const { cell, entry } = grab(area.current, event, shown);
      const drawn = entry === null ? beginDrag(cell, null, null, shown) : null;
      if (entry !== null) onWish({ kind: 'open', entry }, cell);
      else if (drawn !== null) onWish({ kind: 'create', span: drawn.span }, cell);
    },
  };
  return { drag, handlers, letGo };
}

type Point = { readonly clientX: number; readonly clientY: number };

const getCell = (area: HTMLElement, { clientX, clientY }: Point, { columns }: CalendarContent): Cell =>
  cellAt({ x: clientX, y: clientY }, area.getBoundingClientRect(), columns.length);

function grab(area: HTMLElement, event: Point & { readonly target: EventTarget }, shown: CalendarContent): Grabbed {
  const target = event.target instanceof Element ? event.target : null;
  const key = target?.closest('[data-entry]')?.getAttribute('data-entry');
  const edge = target?.closest('[data-edge]')?.getAttribute('data-edge');
  return {
    cell: getCell(area, event, shown),
    entry: shown.entries.find((entry) => getKey(entry) === key) ?? null,
    edge: edge === 'start' || edge === 'end' ? edge : null,
  };
}

/** Returns the key of an entry. A closure has an entry for each week and studio. */
export const getKey = ({ id, studioId, start }: Entry): string => `${id} ${studioId} ${start.getTime()}`;

/** Keeps the page from scrolling under a dragging finger, and from opening a menu. React's own listeners could not prevent this. */
function holdStill(area: HTMLElement | null, isDragging: () => boolean): (() => void) | undefined {
  if (!area) return undefined;
  const stop = (event: Event): void => {
    if (isDragging()) event.preventDefault();
  };
  area.addEventListener('touchmove', stop, { passive: false });
  area.addEventListener('contextmenu', stop);
  return () => {
    area.removeEventListener('touchmove', stop);
    area.removeEventListener('contextmenu', stop);
  };
}

function scrollAtEdge(area: HTMLElement, y: number): void {
  const frame = area.closest('[data-scrolls]');
  if (!frame) return;
  const { top, bottom } = frame.getBoundingClientRect();
  if (y < top + EDGE_PX) frame.scrollTop -= SCROLL_PX;
  else if (y > bottom - EDGE_PX) frame.scrollTop += SCROLL_PX;
}
