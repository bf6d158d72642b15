import { bytesFromBase64 } from "./base64";

/** The bytes that Python stored in the page under an id. */
export async function attachment(page: Document, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const element = page.getElementById(id);
  if (!element) throw new Error(`the page has no data named ${id}`);
  const bytes = bytesFromBase64(element.textContent ?? "");
  return element.dataset["encoding"] === "gzip" ? unzipped(bytes) : bytes;
}

/** The JSON that Python stored in the page under an id. */
export function embedded<Data>(page: Document, id: string): Data {
  return JSON.parse(page.getElementById(id)?.textContent ?? "") as Data;
}

async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
