/** Drawings of 20 by 20, in the colour of the text. */
const DRAWINGS = {
  play: '<path d="M6 4.2v11.6a.6.6 0 0 0 .9.5l9.3-5.8a.6.6 0 0 0 0-1L6.900 3.700a.6.6 0 0 0-.9.5z"/>',
  pause: '<rect x="5" y="4" width="3.600" height="12" rx=".8"/><rect x="11.400" y="4" width="3.600" height="12" rx=".8"/>',
  back: '<path d="M13.500 5.200v9.600L7 10z"/><rect x="4.600" y="5" width="1.800" height="10" rx=".6"/>',
  forward: '<path d="M6.500 5.200v9.600L13 10z"/><rect x="13.600" y="5" width="1.800" height="10" rx=".6"/>',
  loop: '<path d="M5 9V8a2.500 2.500 0 0 1 2.500-2.500H15M15 11v1a2.500 2.500 0 0 1-2.500 2.500H5" class="stroke"/><path d="M13 3l3.200 2.500L13 8zM7 12l-3.200 2.500L7 17z"/>',
  sound: '<path d="M3.500 7.500h2.700L10 4.300v11.400l-3.800-3.200H3.500z"/><path d="M12.500 7.300a3.800 3.800 0 0 1 0 5.400M14.700 5.200a6.800 6.800 0 0 1 0 9.600" class="stroke"/>',
  muted: '<path d="M3.500 7.500h2.700L10 4.300v11.400l-3.800-3.200H3.500z"/><path d="M13 8l4 4M17 8l-4 4" class="stroke"/>',
  light: '<circle cx="10" cy="10" r="3.200"/><path d="M10 2.800v1.800M10 15.400v1.800M2.800 10h1.800M15.400 10h1.800M4.900 4.900l1.300 1.300M13.800 13.800l1.300 1.300M15.100 4.900l-1.300 1.300M6.200 13.800l-1.300 1.300" class="stroke"/>',
  dark: '<path d="M15.800 12.300A6.400 6.400 0 0 1 7.700 4.200a6.400 6.400 0 1 0 8.100 8.100z"/>',
  path: '<path d="M3.500 15.500C5 8 8 5 10.500 7s-1 6 1.500 7 4-4 4.500-9" class="stroke"/><circle cx="3.500" cy="15.500" r="1.500"/><circle cx="16.500" cy="5" r="1.500"/>',
  closer: '<path d="M10 5v10M5 10h10" class="stroke"/>',
  wider: '<path d="M5 10h10" class="stroke"/>',
  undo: '<path d="M7.500 4L4 7.500 7.500 11M4.500 7.500H12a4 4 0 0 1 0 8H8" class="stroke"/>',
  redo: '<path d="M12.500 4L16 7.500 12.500 11M15.500 7.500H8a4 4 0 0 0 0 8h4" class="stroke"/>',
  help: '<path d="M7.300 7.200a2.800 2.800 0 1 1 4.200 2.600c-1 .6-1.500 1.100-1.500 2.200" class="stroke"/><circle cx="10" cy="15.200" r="1.100"/>',
  close: '<path d="M5.500 5.500l9 9M14.500 5.500l-9 9" class="stroke"/>',
  menu: '<path d="M3.500 5.500h13M3.500 10h13M3.500 14.500h13" class="stroke"/>',
  dice: '<rect x="3.500" y="3.500" width="13" height="13" rx="3" class="stroke"/><circle cx="7" cy="7" r="1.200"/><circle cx="13" cy="7" r="1.200"/><circle cx="10" cy="10" r="1.200"/><circle cx="7" cy="13" r="1.200"/><circle cx="13" cy="13" r="1.200"/>',
  split: '<rect x="3" y="4.500" width="14" height="11" rx="1.500" class="stroke"/><path d="M10 4.500v11" class="stroke"/>',
  remove: '<path d="M4.500 6h11M8 6V4.300h4V6M6 6l.7 10h6.600L14 6" class="stroke"/>',
  file: '<path d="M5.500 3.500h6l3 3v10h-9zM11.500 3.500v3h3" class="stroke"/>',
} as const;

export type IconName = keyof typeof DRAWINGS;

export function icon(name: IconName): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", "0 0 20 20");
  made.setAttribute("aria-hidden", "true");
  made.classList.add("icon");
  made.innerHTML = DRAWINGS[name];
  return made;
}
