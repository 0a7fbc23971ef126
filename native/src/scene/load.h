// Parts of the scene folder reader.
#ifndef TLW_SCENE_LOAD_H
#define TLW_SCENE_LOAD_H

#endif
