/** What the page can do with scripts. It can be read without. */
import { followScroll, hideContentsAfterChoice } from './contents.ts';
import { highlightCode } from './highlight.ts';
import { addCopyButtons, showOrigin, synchroniseSamples } from './samples.ts';
import { addSearch } from './search.ts';
import { addShapeFields } from './shape-fields.ts';

showOrigin();
synchroniseSamples();
addCopyButtons();
addShapeFields();
addSearch();
hideContentsAfterChoice();
followScroll();
highlightCode();
